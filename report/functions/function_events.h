/* SPDX-License-Identifier: MIT */
/* Calls of Python functions as an analysis of a run: see calls.h. */
#ifndef REPORT_FUNCTIONS_FUNCTION_EVENTS_H
#define REPORT_FUNCTIONS_FUNCTION_EVENTS_H

#include "report/core/analysis.h"
#include "report/core/key.h"
#include "report/functions/calls.h"

struct functions {
	struct calls calls;
	struct run_key key;
};

struct functions_options {
	enum key_id by;
};
ANALYSIS(functions, struct functions)

#endif
