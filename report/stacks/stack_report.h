/* SPDX-License-Identifier: MIT */
/*
 * What the reports of trees and flame graphs share: the stacks of the family that --of names, with
 * the value that --value names, and their names.
 */
#ifndef REPORT_STACKS_STACK_REPORT_H
#define REPORT_STACKS_STACK_REPORT_H

#include "report/core/report_kind.h"
#include "report/stacks/stack_source.h"
#include "report/stacks/stack_tree.h"

struct stack_report {
	const struct stack_source *from;
	const void *from_state;
	enum stack_value value;
	bool has_value; /* the family has that value */
	struct stack_rows rows;
	uint64_t *weight; /* by index of the rows, which are stacks */
	size_t room;
	uint64_t all;
};

/* For want(), fill(), release(). */
void stack_report_want(struct stack_report *state, struct report *report);
void stack_report_read(struct stack_report *state, struct report *report);
void stack_report_release(struct stack_report *state);

/* Makes a tree of the rows. The caller releases it. */
void stack_report_tree(const struct stack_report *state, struct stack_tree *tree, bool is_bottom_up,
		       enum tree_identity identity);

enum unit stack_report_unit(const struct stack_report *state);
/* Returns whether its values stand for more than what was recorded. */
bool stack_report_is_estimated(const struct stack_report *state);
/* "alloc: bytes at the peak, 1.23 MiB", cut to `room`. */
void stack_report_describe(const struct stack_report *state, char *text, size_t room);
/* Prints "alloc: bytes" and the sum in one line, for people. */
void stack_report_head(const struct stack_report *state, const struct screen *screen);
void stack_report_total(const struct stack_report *state, struct facts *facts);
/* Returns why there are no rows; NULL: the general reason. */
const char *stack_report_explain(const struct stack_report *state, const struct report *report,
				 struct why_empty *absence);

#endif
