/* SPDX-License-Identifier: MIT */
/*
 * What the name of an operator means, by the rules of torch.profiler's tables: some operators are
 * left out, and all ProfilerStep#N are one. Each name's text is examined once.
 */
#ifndef REPORT_TORCH_OPERATOR_NAMES_H
#define REPORT_TORCH_OPERATOR_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"

#define OPERATOR_STEP "ProfilerStep*" /* how ProfilerStep#N are shown */

struct operator_names {
	struct operator_name *name; /* by index */
	size_t room;
	uint32_t step; /* index of the first ProfilerStep#N */
	bool has_step;
	struct map flops, conv_flops; /* kind and shapes, or shapes and integers, to FLOPs */
};

void operator_names_init(struct operator_names *names);
void operator_names_release(struct operator_names *names);

struct operator_text {
	const char *text; /* NULL: not known (yet) */
	size_t length;
};

/* Returns the index that represents the name; it may be that of another name. */
uint32_t operator_name_of(struct operator_names *names, uint32_t index, struct operator_text text,
			  bool *ret_hidden);
/* Returns the text that is shown for rows of a name. */
struct operator_text operator_text_shown(struct operator_text text);
/* Returns whether torch.profiler leaves the operator out. */
bool operator_is_hidden(struct operator_text text);

/* Inputs of a call: indices of the texts of their shapes and of what else FLOPs need. */
struct operator_inputs {
	uint32_t shapes, integers;
	struct operator_text shapes_text, integers_text;
};
/* Returns the FLOPs of the operator `index` with these inputs; 0: not known. */
uint64_t operator_flops_of(struct operator_names *names, uint32_t index,
			   const struct operator_inputs *inputs);

#endif
