/* SPDX-License-Identifier: MIT */
/*
 * What a thread's next walks will read of the tables, fetched before they do. A program repeats itself: the steps of a
 * training make the same walks in the same order. So the thread keeps a log of its walks, each of them the place in
 * the table of the frame it ended in, and follows the log from where the same walk stands in it, two walks ahead. Wrong
 * guesses cost a fetch and nothing else: nothing here decides what a stack is.
 *
 * Where a walk stands in the log is kept with the frame it ended in (frame_names.h), and is believed only if that walk
 * is there. It is written only when the log was not followed, so that threads that do the same do not take each other's lines.
 * A log belongs to its thread, and is mapped when the thread has made many walks; there are AHEAD_LOGS_MAX. Signal handlers may
 * come in between.
 */
#ifndef PRELOAD_STACKS_AHEAD_H
#define PRELOAD_STACKS_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/stacks/frame_names.h"

#define AHEAD_LOG_ENTRIES (1u << FRAME_PLACE_BITS)
#define AHEAD_LOG_MASK (AHEAD_LOG_ENTRIES - 1)
#define AHEAD_WALKS_MIN (1u << 15) /* of a thread before it has a log */
#define AHEAD_LOGS_MAX 64u         /* of 256 KB */

struct ahead {
	uint32_t *log;  /* NULL: none yet */
	uint32_t end;   /* where the next walk is written */
	uint32_t next;  /* where it is expected to stand */
	uint32_t walks; /* until there is a log */
};

void ahead_begin(struct ahead *ahead);

/* Not by __builtin_prefetch(): gcc leaves out the call of a function that does nothing else. */
static inline void line_fetch(const void *line)
{
	__asm__ volatile("prefetcht0 %0" ::"m"(*(const char *)line));
}

static inline void ahead_fetch(uint32_t walk)
{
	line_fetch(&frame_names.entry[walk]);
}

/* The thread has made a walk, which ended in the frame that has its home at `home` of the table. */
static inline void ahead_note(struct ahead *ahead, uint64_t home)
{
	uint32_t *log = ahead->log;
	uint32_t end = ahead->end & AHEAD_LOG_MASK, at = ahead->next & AHEAD_LOG_MASK;
	uint32_t walk = (uint32_t)home;
	struct frame_name *name = &frame_names.entry[home];

	if (__builtin_expect(!log, 0)) {
		if (++ahead->walks >= AHEAD_WALKS_MIN)
			ahead_begin(ahead);
		return;
	}
	if (__builtin_expect(log[at] != walk, 0)) {
		at = frame_place(name);
		frame_place_set(name, end);
		if (log[at] != walk)
			at = end; /* followed by what was written longest ago */
		ahead_fetch(log[(at + 1) & AHEAD_LOG_MASK]);
	}
	log[end] = walk;
	ahead_fetch(log[(at + 2) & AHEAD_LOG_MASK]);
	ahead->end = end + 1;
	ahead->next = at + 1;
}

#endif
