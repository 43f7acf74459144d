/* SPDX-License-Identifier: MIT */
/*
 * What a family knows of its stacks: how much of what belongs to which. The trees and flame graphs of all families are made of
 * this.
 *
 * A family is a line STACK_SOURCE(name) in its family.def, a struct stack_source stack_source_<name>, and its name among the
 * choices of option --of (report/stacks/family.def).
 */
#ifndef REPORT_STACKS_STACK_SOURCE_H
#define REPORT_STACKS_STACK_SOURCE_H

#include "report/core/analysis.h"
#include "report/stacks/stack_rows.h"

/* The choices of option --value, in their order. */
enum stack_value {
	STACK_BYTES,
	STACK_CALLS,
	STACK_LIVE,
	STACK_PEAK,
	STACK_TIME,
	STACK_WAIT,
	STACK_GIL,
	STACK_VALUES,
};

typedef void take_stack_use(void *context, const struct stack_use *use);

struct stack_source {
	const char *name;
	enum evt_family family; /* whose absence explains that there is nothing */
	unsigned int values;    /* bits: those that it has */
	enum stack_value first; /* when none was asked for */
	bool of_samples;        /* as named_stacks.h has it */
	/* Wants the analyses that know; what it returns is handed to put(). */
	const void *(*want)(struct run *run);
	const char *says[STACK_VALUES]; /* what its value is; NULL: as for any family */
	/* Once all is read: each stack with its value as the weight, those of 0 left out. */
	void (*put)(const void *state, struct source *source, enum stack_value value,
		    take_stack_use *take, void *context);
	/* Instead of put(): its stacks are none of the source's, and are made in `names`. */
	void (*put_named)(const void *state, struct named_stacks *names, enum stack_value value,
			  take_stack_use *take, void *context);
	/* Its values are estimates, as stacks are a sample; NULL: they never are. */
	bool (*is_estimated)(const void *state);
	/* Why it has nothing, NULL: as for any family. */
	const char *(*explain)(const void *state);
};

#define STACK_SOURCE(name) extern const struct stack_source stack_source_##name;
#include "report/families.def"

#endif
