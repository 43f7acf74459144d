/* SPDX-License-Identifier: MIT */
/*
 * Notes the call that a thread is in, where the collector finds it if the call never returns. This
 * takes three stores before the original and one after it. If a call interrupts another of its
 * kind, it overwrites the note, and the outer call is no longer known to be open.
 *
 * Any thread, signal handlers too. No lock, no allocation, no system call.
 */
#ifndef PRELOAD_RECORD_OPEN_CALL_H
#define PRELOAD_RECORD_OPEN_CALL_H

#include <stdatomic.h>

#include "preload/record/recorder.h"

/* Returns NULL if the thread has no ring yet, or the ring is that of a forked child's parent. */
static inline struct region_open_call *open_call_of(enum region_open kind)
{
	const struct recorder_lane *lane = &recorder_self.lane[0];

	return lane->bound == recorder_gates->generation + 1 ? &lane->ring->open[kind] : NULL;
}

/* `start` is in ticks of the records. The text of the name must have been sent. */
static inline void open_call_begin(enum region_open kind, uint64_t start, uint64_t function, int fd)
{
	struct region_open_call *open = open_call_of(kind);

	if (!open)
		return;
	atomic_store_explicit(&open->start, 0, memory_order_relaxed);
	/* a reader that sees one of the fields sees the 0, too; pairs with call_read() */
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&open->function, function, memory_order_relaxed);
	atomic_store_explicit(&open->fd, fd, memory_order_relaxed);
	atomic_store_explicit(&open->head, recorder_self.lane[0].head, memory_order_relaxed);
	atomic_store_explicit(&open->start, start + !start, memory_order_release);
}

static inline void open_call_end(enum region_open kind)
{
	struct region_open_call *open = open_call_of(kind);

	if (open)
		atomic_store_explicit(&open->start, 0, memory_order_relaxed);
}

#endif
