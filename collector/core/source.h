/* SPDX-License-Identifier: MIT */
/*
 * A source records what the collector sees from outside, besides what the programs record
 * themselves. It looks, keeps what it saw, and writes it into the next frame. The list is
 * collector/families.def; docs/HOWTO-add-family.md says how to add one.
 *
 * Functions may be NULL. One thread calls all of them. steady_ns is CLOCK_MONOTONIC of the
 * collector; now_ns and watermark_ns are times of the file. A source without the memory, the
 * right or the kernel that it needs does nothing, and its events say so.
 */
#ifndef COLLECTOR_CORE_SOURCE_H
#define COLLECTOR_CORE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct common;
struct frame_writer;
struct process;
struct processes;
struct streams;

/* What a source may use, as long as it lives. */
struct source_context {
	struct common *common;
	struct processes *processes;
	struct streams *streams;
	uint32_t *stream_numbers; /* where numbers of streams come from that no program has */
};

struct collector_source {
	size_t state_bytes; /* zeroed before init() */
	void (*init)(void *state, const struct source_context *context);
	void (*release)(void *state);

	/* With each turn of the collector, and at the time that due_ns() names. Returns at once where it is not time yet. */
	void (*look)(void *state, uint64_t steady_ns);
	/* Steady time of a look that cannot wait for the next turn; 0: none. */
	uint64_t (*due_ns)(const void *state);
	/* So long may be slept before something is lost; at most `most_ns`. */
	uint64_t (*pause_ns)(const void *state, uint64_t most_ns);

	/* A process is leaving, before its end is told: the last that can be seen of it. */
	void (*process_leaves)(void *state, const struct process *process, uint64_t now_ns);
	/* Before a frame is closed: all that has come by now. */
	void (*drain)(void *state);
	/* Something waits for the next frame. */
	bool (*is_pending)(const void *state);
	/* What is known so far goes with this frame: counters and facts into the journal. */
	void (*settle)(void *state, uint64_t watermark_ns);
	/* Puts what waits into blocks of its streams; returns the number of events. */
	uint32_t (*write)(void *state, struct frame_writer *fw, uint64_t watermark_ns);
};

#endif
