/* SPDX-License-Identifier: MIT */
/* Calls of Python functions as an analysis of a run: see calls.h. */
#ifndef REPORT_FUNCTIONS_FUNCTION_EVENTS_H
#define REPORT_FUNCTIONS_FUNCTION_EVENTS_H

#include "report/core/analysis.h"
#include "report/core/key.h"
#include "report/functions/action_calls.h"
#include "report/functions/calls.h"

/* Keys of `calls` where rows are by action: whether any was open. */
enum { FUNCTIONS_NO_ACTION, FUNCTIONS_IN_ACTION };

struct functions {
	struct calls calls; /* each call once */
	struct run_key key;
	bool by_action;
	uint64_t interpreters; /* that were made and are not recorded */
	struct action_calls
		actions; /* where rows are by action: a call as often as it was in any */
};

struct functions_options {
	enum key_id by;
};
ANALYSIS(functions, struct functions)

#endif
