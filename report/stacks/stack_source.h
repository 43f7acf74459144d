/* SPDX-License-Identifier: MIT */
/*
 * What a family provides about its stacks: how much belongs to which stack. The trees and flame
 * graphs of all families are made of this.
 *
 * To add one: a line STACK_SOURCE(name) in the family's family.def, a struct stack_source
 * stack_source_<name>, and its name among the choices of option --of (report/stacks/family.def).
 */
#ifndef REPORT_STACKS_STACK_SOURCE_H
#define REPORT_STACKS_STACK_SOURCE_H

#include "report/core/analysis.h"
#include "report/stacks/stack_rows.h"

/* The choices of option --value, in order. */
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
	enum evt_family family; /* its absence explains why there is nothing */
	unsigned int values;    /* the values that it has, as bits */
	enum stack_value first; /* default value */
	bool of_samples;        /* see named_stacks.h */
	/* Requests the analyses that are needed; its result is passed to put(). */
	const void *(*want)(struct run *run);
	const char *says[STACK_VALUES]; /* description of each value; NULL: the general one */
	/*
	 * Call when everything is read: adds each stack with its value as weight; stacks with 0 are
	 * left out.
	 */
	void (*put)(const void *state, struct source *source, enum stack_value value,
		    take_stack_use *take, void *context);
	/* Used instead of put() if its stacks are not the source's, but are made in `names`. */
	void (*put_named)(const void *state, struct named_stacks *names, enum stack_value value,
			  take_stack_use *take, void *context);
	/* True if its values are estimates because stacks are sampled; NULL: never. */
	bool (*is_estimated)(const void *state);
	/* Returns why it has nothing; NULL: the general reason. */
	const char *(*explain)(const void *state);
};

#define STACK_SOURCE(name) extern const struct stack_source stack_source_##name;
#include "report/families.def"

#endif
