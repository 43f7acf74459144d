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

/* What a source may use, as long as it exists. */
struct source_context {
	struct common *common;
	struct processes *processes;
	struct streams *streams;
	uint32_t *stream_numbers; /* the next number for a stream that no program has */
};

struct collector_source {
	size_t state_bytes; /* zeroed before init() */
	void (*init)(void *state, const struct source_context *context);
	void (*release)(void *state);

	/*
	 * Called with each turn of the collector, and at the time that due_ns() returns. Returns at
	 * once if it is too early.
	 */
	void (*look)(void *state, uint64_t steady_ns);
	/* Steady time of a look that cannot wait for the next turn; 0: none. */
	uint64_t (*due_ns)(const void *state);
	/* How long the collector may sleep before something is lost; at most `most_ns`. */
	uint64_t (*pause_ns)(const void *state, uint64_t most_ns);

	/* A process is leaving, and its end is not recorded yet: the last chance to examine it. */
	void (*process_leaves)(void *state, const struct process *process, uint64_t now_ns);
	/* Called before a frame is closed: takes everything up to now. */
	void (*drain)(void *state);
	/* True if something waits for the next frame. */
	bool (*is_pending)(const void *state);
	/* Adds what is known so far to the journal of this frame: counters and facts. */
	void (*settle)(void *state, uint64_t watermark_ns);
	/* The last frame is written, and the program still waits. */
	void (*finish)(void *state);
	/* Puts what waits into blocks of its streams; returns the number of events. */
	uint32_t (*write)(void *state, struct frame_writer *fw, uint64_t watermark_ns);
	/*
	 * A segment begins: puts the events of earlier ones that the next ones need into blocks of
	 * their streams. Returns false if there is no room.
	 */
	bool (*restate)(const void *state, struct frame_writer *fw);
};

#endif
