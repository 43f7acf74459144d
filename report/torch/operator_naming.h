/* SPDX-License-Identifier: MIT */
/*
 * The operator's name that an event of PyTorch gives, looked at once an event, whoever wants it: an analysis that
 * comes before those. Good for the event that is being taken: begins, ends by name, asynchronous begins.
 */
#ifndef REPORT_TORCH_OPERATOR_NAMING_H
#define REPORT_TORCH_OPERATOR_NAMING_H

#include "report/core/analysis.h"
#include "report/torch/operator_names.h"

struct operator_naming {
	struct operator_names names;
	struct source *source;
	uint32_t name; /* that stands for it */
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
