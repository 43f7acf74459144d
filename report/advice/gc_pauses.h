/* SPDX-License-Identifier: MIT */
/*
 * Garbage collections that are long enough to matter in a step, with the place where they began.
 * Shorter ones count in the steps' category `gc` only. Memory grows with them, up to GC_PAUSES_MAX.
 * To be used by one thread.
 */
#ifndef REPORT_ADVICE_GC_PAUSES_H
#define REPORT_ADVICE_GC_PAUSES_H

#include "report/core/collecting.h"
#include "report/gc/gc_stacks.h"

#define GC_PAUSE_NS 5000000u
#define GC_PAUSES_MAX 65536u

struct gc_pause {
	uint32_t process, stack; /* index; number in gc_stacks.h */
	uint64_t from_ns, ns;
};

struct gc_pauses {
	struct source *source;
	struct gc_stacks stacks;
	struct collecting collecting;
	uint32_t *stack; /* by thread: of the collection under way */
	size_t stack_room;
	struct gc_pause *pause; /* in the order of their ends */
	size_t count, room;
};

struct gc_pauses_options {
	uint32_t none;
};
ANALYSIS(gc_pauses, struct gc_pauses)

#endif
