/* SPDX-License-Identifier: MIT */
/*
 * The operator's name in an event of PyTorch, looked up once for each event, for all analyses that
 * need it: this analysis precedes them. Valid for the event that is being taken: begins, ends by
 * name, asynchronous begins.
 */
#ifndef REPORT_TORCH_OPERATOR_NAMING_H
#define REPORT_TORCH_OPERATOR_NAMING_H

#include "report/core/analysis.h"
#include "report/torch/operator_names.h"

struct operator_naming {
	struct operator_names names;
	struct source *source;
	uint32_t name; /* the index that represents it */
	bool is_hidden;
};
struct operator_naming_options {
	uint32_t none;
};
ANALYSIS(operator_naming, struct operator_naming)

static inline struct operator_text operator_text_of(const struct source_name *name)
{
	return (struct operator_text){ name->text, name->length };
}

#endif
