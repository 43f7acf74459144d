/* SPDX-License-Identifier: MIT */
/*
 * Sampling of native stacks: the kernel's records in the rings become native_sample events, in the
 * order of time. See README.md.
 *
 * Samples wait here until the next frame of the file is written. One thread.
 */
#ifndef COLLECTOR_NATIVE_NATIVE_H
#define COLLECTOR_NATIVE_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/native/followed.h"
#include "collector/processes/processes.h"

#define NATIVE_THREADS 4096u
#define NATIVE_WAITING 65536u
#define NATIVE_FRAMES (2u << 20) /* of all waiting samples */

struct native_thread {
	uint32_t process, tid; /* process: its number in the file */
	uint32_t stream;
	/* the thread for which its event was opened; if a thread has two events, its own counts */
	uint32_t root;
	uint64_t seen_ns;
};

struct native_waiting {
	uint64_t time_ns;
	uint32_t stream, order;
	uint32_t entry, number; /* of the process, for counting */
	uint32_t frame, frames; /* position in native.frame, and number */
	uint32_t in_kernel;
};

struct native {
	struct common *common;
	struct processes *processes;
	uint32_t *stream_numbers;
	struct following *following; /* owned; NULL: not wanted */
	struct native_thread *thread;
	uint32_t threads, thread_room;
	uint32_t recent[256]; /* indices of threads by tid, as they were last found */
	struct native_waiting *waiting;
	uint32_t waiting_count, waiting_room;
	uint64_t *frame; /* in the form of unwind.h */
	uint32_t frames, frame_room;
	uint64_t written_ns; /* records that are not later have come too late */
};

void native_init(struct native *native, struct common *common, struct processes *processes,
		 uint32_t *stream_numbers);
void native_release(struct native *native);

/* Takes new records, then begins and stops following processes. Steady time. */
void native_take(struct native *native, uint64_t steady_ns);
/* Takes everything up to now, before a frame of the file is closed. */
void native_drain(struct native *native);

/* Returns how long the collector may sleep before a ring may be half full; at most `most_ns`. */
uint64_t native_pause_ns(const struct native *native, uint64_t most_ns);

/* Writes changed counters with the next frame. */
void native_settle(struct native *native, uint64_t now_ns);
/*
 * Puts the waiting samples into blocks of their streams; returns their number. `watermark_ns` is
 * the frame's.
 */
uint32_t native_write(struct native *native, struct frame_writer *fw, uint64_t watermark_ns);

#endif
