/* SPDX-License-Identifier: MIT */
/*
 * Native functions, lines, modules or stacks with the CPU time in them and in what they called. Made once all is read; places are
 * those of `rows`. A function that is in a stack several times counts once.
 */
#ifndef REPORT_NATIVE_NATIVE_ROWS_H
#define REPORT_NATIVE_NATIVE_ROWS_H

#include "report/native/native_events.h"
#include "report/stacks/stack_rows.h"

struct native_place {
	struct native_counts self, total;
	size_t last; /* row + 1 of the reading that it was counted in last */
};

struct native_rows {
	struct stack_rows rows;
	struct native_place *place; /* by place of the rows */
	size_t room;
	struct native_counts none; /* samples without a stack */
};

/* Of a reading by stack. `rows->rows` has been made by stack_rows_init(). */
void native_rows_make(struct native_rows *rows, const struct native_reading *reading);
void native_rows_release(struct native_rows *rows);

/* How stacks of samples are shown: nothing is folded on the inside, as CPU time in malloc() is malloc()'s. */
void native_rows_init(struct native_rows *rows, struct source *source,
		      const struct options *options, enum stack_by by,
		      struct stack_columns columns);

#endif
