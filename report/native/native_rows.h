/* SPDX-License-Identifier: MIT */
/*
 * Native functions, lines, modules or stacks, with the CPU time in them and in what they called.
 * They are made once all is read; places are those of `rows`. A function that is in a stack several
 * times counts once.
 */
#ifndef REPORT_NATIVE_NATIVE_ROWS_H
#define REPORT_NATIVE_NATIVE_ROWS_H

#include "report/native/native_events.h"
#include "report/stacks/stack_rows.h"

struct native_place {
	struct native_counts self, total;
	size_t last; /* row + 1 of the reading in which it was counted last */
};

struct native_rows {
	struct stack_rows rows;
	struct native_place *place; /* by place of the rows */
	size_t room;
	struct native_counts none; /* samples without a stack */
};

/* For a reading by stack. stack_rows_init() must have made `rows->rows`. */
void native_rows_make(struct native_rows *rows, const struct native_reading *reading);
void native_rows_release(struct native_rows *rows);

/*
 * Sets how stacks of samples are shown. No inner frames are left out, because CPU time in malloc()
 * belongs to malloc().
 */
void native_rows_init(struct native_rows *rows, struct source *source,
		      const struct options *options, enum stack_by by,
		      struct stack_columns columns);

#endif
