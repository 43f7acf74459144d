/* SPDX-License-Identifier: MIT */
/*
 * What operators did in the whole run, estimated from windows of detail that were drawn at random
 * (INTERCEPT_BUDGET). The first window is no draw: it counts as it is. All later ones stand for the
 * rest of the run, by steps, or by time in a process without steps. The error comes from how the
 * windows differ (a ratio estimate, clusters without replacement).
 *
 * Of one process: windows of several ones would mix. Memory grows with rows. One thread.
 */
#ifndef REPORT_TORCH_DRAWN_OPS_H
#define REPORT_TORCH_DRAWN_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRAWN_WINDOWS_MIN 5u /* with fewer windows nothing is estimated */

struct operator_row;

struct drawn_value {
	uint64_t before;              /* when the last window ended */
	double first;                 /* in the first window */
	double sum, squares, by_size; /* of the later ones: y, y * y, y * size */
};

struct drawn_row {
	struct drawn_value calls, ns;
};

/* All zeros is a new object. */
struct drawn_ops {
	struct drawn_row *row; /* by place of the operator's row */
	size_t room;
	uint64_t windows; /* that have ended */
	double first_size, size, squares;
	double whole_size; /* of the run; 0: not known */
};

struct drawn_estimate {
	double value, error; /* error: standard error */
};

void drawn_ops_release(struct drawn_ops *drawn);
/* A window of that size ends; `row` has what was counted so far. */
void drawn_ops_take(struct drawn_ops *drawn, const struct operator_row *row, size_t count,
		    double size);
/* The run is read: it has that size. */
void drawn_ops_finish(struct drawn_ops *drawn, double whole_size);
/* True if there are estimates. */
bool drawn_ops_know(const struct drawn_ops *drawn);
struct drawn_estimate drawn_ops_calls(const struct drawn_ops *drawn, size_t row);
struct drawn_estimate drawn_ops_ns(const struct drawn_ops *drawn, size_t row);

#endif
