/* SPDX-License-Identifier: MIT */
/* Calls of Python functions as an analysis of a run: see calls.h. */
#ifndef REPORT_FUNCTIONS_FUNCTION_EVENTS_H
#define REPORT_FUNCTIONS_FUNCTION_EVENTS_H

#include "report/core/analysis.h"
#include "report/core/key.h"
#include "report/functions/action_calls.h"
#include "report/functions/calls.h"

/* Keys of `calls` if rows are by action: whether any action was open. */
enum { FUNCTIONS_NO_ACTION, FUNCTIONS_IN_ACTION };

struct functions {
	struct calls calls; /* each call once */
	struct run_key key;
	bool by_action;
	uint64_t interpreters; /* interpreters that the program made and that are not recorded */
	struct action_calls
		actions; /* if rows are by action: a call once for each action around it */
};

struct functions_options {
	enum key_id by;
};
ANALYSIS(functions, struct functions)

#endif
