/* SPDX-License-Identifier: MIT */
/*
 * The operators and labels that are open on each thread, followed once for all analyses that want
 * no more than that. Each of these keeps an array of its own, by scope of the nest. It gets the
 * begin of a scope after this analysis, so the scope is the innermost one of its thread then.
 *
 * Scopes are followed beyond the end of --time and --step. Keys are for its own use. The nest
 * belongs to the analysis; memory grows with threads and open scopes. One thread.
 */
#ifndef REPORT_CORE_OPEN_OPERATORS_H
#define REPORT_CORE_OPEN_OPERATORS_H

#include "report/core/analysis.h"

struct open_operators {
	struct nest nest;
};
struct open_operators_options {
	uint32_t none;
};
ANALYSIS(open_operators, struct open_operators)

/* For start(): `ended` is called with `state` when a scope ends. */
void open_operators_listen(struct open_operators *operators, nest_ended *ended, void *state);

#endif
