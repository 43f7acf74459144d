/* SPDX-License-Identifier: MIT */
/*
 * Calls and returns of functions, added up as cProfile does: by function, and by caller and
 * function. Each thread has a stack of its own. A return names its function. If that is not the
 * innermost one (greenlets switch stacks), the calls above it end with it and are counted.
 *
 * Functions are indices of names. Memory grows with rows, pairs and open calls, and with threads
 * times rows. Times are ns. To be used by one thread.
 */
#ifndef REPORT_FUNCTIONS_CALLS_H
#define REPORT_FUNCTIONS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/scopes/nest.h"

#define CALL_NONE UINT32_MAX

struct call_counts {
	uint64_t calls, recursive, open;
	uint64_t self_ns, total_ns; /* total_ns: recursive calls count once */
};

static inline void call_counts_add(struct call_counts *into, const struct call_counts *more)
{
	into->calls += more->calls;
	into->recursive += more->recursive;
	into->open += more->open;
	into->self_ns += more->self_ns;
	into->total_ns += more->total_ns;
}

struct call_row {
	uint64_t key; /* of --by */
	uint32_t function;
	struct call_counts counts;
};

struct call_pair {
	uint32_t caller, callee; /* rows */
	struct call_counts counts;
};

struct open_call {
	uint64_t start_ns, children_ns;
	uint32_t function;
	uint32_t row, pair; /* CALL_NONE: it does not count; the pair also if no caller counts */
};

/*
 * A thread has several Python stacks if greenlets switch. The calls on one stand still while
 * another runs.
 */
struct call_stack {
	uint64_t id;       /* 0: not known, the first one */
	uint64_t left_ns;  /* when the thread left it */
	uint64_t still_ns; /* the time that it stood still so far */
	struct open_call *open;
	size_t count, room;
	uint32_t *row_level, *pair_level; /* how often each is open */
	size_t row_room, pair_room;
};

struct call_thread {
	struct call_stack *stack;
	size_t stack_count, stack_room;
	size_t now; /* index of the running one */
	bool has_called;
};

struct calls {
	struct call_row *row;
	size_t row_count, row_room;
	struct call_pair *pair;
	size_t pair_count, pair_room;
	struct map keys;  /* key + 1 to its number */
	struct map rows;  /* number of the key << 32 | function, + 1 */
	struct map pairs; /* caller << 32 | callee, + 1 */
	size_t key_count;
	struct call_thread *thread; /* by index */
	size_t thread_room;
	uint64_t out_of_order; /* calls that ended because an enclosing one ended */
	uint64_t unmatched;    /* returns of functions that were not open */
	uint64_t switches;     /* of stacks */
};

void calls_init(struct calls *calls);
void calls_release(struct calls *calls);

struct call {
	uint64_t time_ns, key;
	uint32_t thread, function;
	bool counts;
};
void calls_enter(struct calls *calls, const struct call *call);
void calls_return(struct calls *calls, const struct call *call);
/* The thread continues with another stack. `before`: the one that it ran so far, 0: not known. */
void calls_switch(struct calls *calls, uint32_t thread, uint64_t time_ns, uint64_t before,
		  uint64_t now);
/* All calls that are open on the thread end, or stay open and add no time, as `how` says. */
void calls_cut(struct calls *calls, uint32_t thread, uint64_t time_ns, enum nest_ending how);

#endif
