/* SPDX-License-Identifier: MIT */
/*
 * Prefetches the table entries that a thread's next walks will read. Programs repeat themselves:
 * the steps of a training make the same walks in the same order. So the thread keeps a log of its
 * walks. Each entry is the table position of the frame in which the walk ended. The thread follows
 * the log from the last occurrence of the current walk and prefetches two walks ahead. A wrong
 * guess costs only a prefetch; nothing here decides what a stack is.
 *
 * The position of a walk in the log is kept with the frame in which it ended (frame_names.h), and
 * is used only if the log really has that walk there. The position is written only when the log was
 * not followed, so that threads with the same work do not take each other's cache lines. A log
 * belongs to its thread and is mapped after the thread has made many walks. There are at most
 * AHEAD_LOGS_MAX logs. Signal handlers may interrupt.
 */
#ifndef PRELOAD_STACKS_AHEAD_H
#define PRELOAD_STACKS_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/arch/arch.h"
#include "preload/base/hidden.h"
#include "preload/stacks/frame_names.h"

#define AHEAD_LOG_ENTRIES (1u << FRAME_PLACE_BITS)
#define AHEAD_LOG_MASK (AHEAD_LOG_ENTRIES - 1)
#define AHEAD_WALKS_MIN (1u << 15) /* walks before a thread gets a log */
#define AHEAD_LOGS_MAX 64u         /* each of 256 KB */

struct ahead {
	uint32_t *log;  /* NULL: none yet */
	uint32_t end;   /* position of the next walk to be written */
	uint32_t next;  /* position where the next walk is expected */
	uint32_t walks; /* number of walks until there is a log */
};

void ahead_begin(struct ahead *ahead);

static inline void ahead_fetch(uint32_t walk)
{
	arch_prefetch(&frame_names.entry[walk]);
}

/* The thread has made a walk, which ended in the frame with its home at `home` in the table. */
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
			at = end; /* the next entry is the oldest of the log */
		ahead_fetch(log[(at + 1) & AHEAD_LOG_MASK]);
	}
	log[end] = walk;
	ahead_fetch(log[(at + 2) & AHEAD_LOG_MASK]);
	ahead->end = end + 1;
	ahead->next = at + 1;
}

#endif
