/* SPDX-License-Identifier: MIT */
/*
 * What a thread's next walks will read of the tables, fetched before they do. A program repeats itself: the steps of a
 * training make the same walks in the same order. So the thread keeps a log of its walks, each of them one word that
 * names the cache lines it read, and follows the log from where the same walk stands in it, two walks ahead. Wrong
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
#include "preload/stacks/rules.h"

#define AHEAD_LOG_ENTRIES (1u << FRAME_PLACE_BITS)
#define AHEAD_LOG_MASK (AHEAD_LOG_ENTRIES - 1)
#define AHEAD_WALKS_MIN (1u << 15) /* of a thread before it has a log */
#define AHEAD_LOGS_MAX 64u         /* of 512 KB */
#define AHEAD_RULES 3u             /* of a walk */
#define AHEAD_LINE_BITS 16u
#define AHEAD_LINE_MASK ((1u << AHEAD_LINE_BITS) - 1)

struct ahead {
	uint64_t *log;  /* NULL: none yet */
	uint32_t end;   /* where the next walk is written */
	uint32_t next;  /* where it is expected to stand */
	uint32_t walks; /* until there is a log */
};

void ahead_begin(struct ahead *ahead);

/* A walk is the line of the frame it ended in and, above, those of the rules it used first. */
static inline uint64_t ahead_walk(uint64_t name_home)
{
	return name_home / FRAME_NAMES_LINE & AHEAD_LINE_MASK;
}

static inline uint64_t ahead_walk_rule(uint64_t rule_home, unsigned int i)
{
	return (rule_home / RULES_LINE & AHEAD_LINE_MASK) << AHEAD_LINE_BITS * (i + 1);
}

/* Not by __builtin_prefetch(): gcc leaves out the call of a function that does nothing else. */
static inline void line_fetch(const void *line)
{
	__asm__ volatile("prefetcht0 %0" ::"m"(*(const char *)line));
}

static inline void ahead_fetch(uint64_t walk)
{
	line_fetch(&frame_names.entry[(walk & AHEAD_LINE_MASK) * FRAME_NAMES_LINE]);
	for (unsigned int i = 0; i < AHEAD_RULES; i++) {
		walk >>= AHEAD_LINE_BITS;
		line_fetch(&rules.entry[(walk & AHEAD_LINE_MASK) * RULES_LINE]);
	}
}

/* The thread has made this walk, which ended in the frame of `name`. */
static inline void ahead_note(struct ahead *ahead, uint64_t walk, struct frame_name *name)
{
	uint64_t *log = ahead->log;
	uint32_t end = ahead->end & AHEAD_LOG_MASK, at = ahead->next & AHEAD_LOG_MASK;

	if (__builtin_expect(!log, 0)) {
		if (++ahead->walks >= AHEAD_WALKS_MIN)
			ahead_begin(ahead);
		return;
	}
	if (log[at] != walk) {
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
