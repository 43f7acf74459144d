/* SPDX-License-Identifier: MIT */
/*
 * The keys of events by stack, function, line and module, and for sources of stacks
 * (stack_source.h).
 */
#ifndef REPORT_STACKS_STACK_KEYS_H
#define REPORT_STACKS_STACK_KEYS_H

#include "report/base/groups.h"
#include "report/core/key.h"
#include "report/stacks/stack_rows.h"
#include "report/stacks/stack_share.h"
#include "report/stacks/stack_source.h"

/* The state of an analysis: see stack_keys_want(). */
struct stack_keys {
	struct stack_keys *self;
	struct run *run;
	enum stack_by by;
	struct helped_stacks *helped; /* NULL: events have only the stack of their own thread */
	struct map known;             /* from process, stack and generation to key */
	struct stack_use *use;        /* by key - 1 */
	uint64_t *events;             /* by key - 1: number of events with this stack */
	size_t count, room, events_room;
	uint32_t *generation; /* of the modules of a process */
	size_t generation_room;
	uint64_t missing; /* events without a stack */
	uint64_t waited;  /* events with the stack of a waiting thread */
	/* such events other than PyTorch's, which have only Python stacks */
	bool misses_native;
	enum evt_family family; /* of the events; EVT_FAMILY_system: several families */
	const struct source_thread
		*last_thread; /* of the last event, because an analysis may ask twice about one */
	uint64_t last_ns;
	uint32_t last_id;
	char share[STACK_SHARE_BYTES + 320];
	bool is_named;
	struct stack_rows rows; /* when everything is read */
	uint64_t *first; /* by key - 1: the first key with the same meaning, or KEY_LEFT_OUT */
};

/*
 * For start(): events have stacks from now on, those of helpers joined with the stack of the
 * waiting thread (helped_stacks.h).
 */
struct stack_keys *stack_keys_want(struct run *run, enum stack_by by);
/* The same with the stacks of each event's own thread only. */
struct stack_keys *stack_keys_want_own(struct run *run, enum stack_by by);
/* Keys begin at 1; 0: the event has no stack. */
uint64_t stack_keys_of(struct stack_keys *keys, const struct source_event *event);
const struct stack_use *stack_keys_use(const struct stack_keys *keys, uint64_t key);

/*
 * For stack_source.h: adds a row by key `stack` with its value; nothing for a value of 0 or without
 * a stack.
 */
void stack_key_take(const struct run_key *key, uint64_t value, uint64_t weight,
		    void (*take)(void *context, const struct stack_use *use), void *context);
/* The same for groups of calls: `word` of their keys is the stack; the value is calls or time. */
void stack_key_take_calls(const struct run_key *key, const struct groups *groups, size_t word,
			  enum stack_value value, take_stack_use *take, void *context);

#endif
