/* SPDX-License-Identifier: MIT */
/*
 * The function of the user's own code, beside the model and the loop, in which the loop's thread
 * spends most of its steps: a metric, the making of targets, an average of the weights. It is the
 * innermost own function of a sample. Functions that call the model, backward(), the optimizer or a
 * DataLoader themselves are the loop; those that the model calls are the model.
 */
#ifndef REPORT_ADVICE_STEP_FUNCTION_H
#define REPORT_ADVICE_STEP_FUNCTION_H

#include "report/advice/bottleneck.h"

struct step_function {
	struct step_line line;         /* of the function, with most of its time */
	uint64_t ns, looks;            /* of all of its lines, in settled steps */
	const struct known_work *work; /* that half of this time passes in; NULL: none is known */
};

/* Once all is read. Returns false if there is none. */
bool step_function_find(const struct bottleneck *bottleneck, struct step_function *ret_function);

#endif
