/* SPDX-License-Identifier: MIT */
/* What memory of tensors is for; categories.h says how that is found. */
#ifndef REPORT_TENSORS_CATEGORY_H
#define REPORT_TENSORS_CATEGORY_H

enum tensor_category {
#define CATEGORY(id, name, less) CATEGORY_##id,
#include "report/tensors/categories.def"
	CATEGORIES
};

const char *category_name(enum tensor_category category);
/* What makes it less; "": not said. */
const char *category_less(enum tensor_category category);

#endif
