/* SPDX-License-Identifier: MIT */
/*
 * Sampling of native stacks: what the kernel writes into the rings becomes native_sample events, in the order of time. See README.md.
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
#define NATIVE_FRAMES (2u << 20) /* of all that wait */

struct native_thread {
	uint32_t process, tid; /* process: its number in the file */
	uint32_t stream;
	uint32_t
		root; /* thread that its event was opened for: of two events of a thread one counts, its own if it has one */
	uint64_t seen_ns;
};

struct native_waiting {
	uint64_t time_ns;
	uint32_t stream, order;
	uint32_t entry, number; /* of the process, for what is counted */
	uint32_t frame, frames; /* in native.frame */
	uint32_t in_kernel;
};

struct native {
	struct common *common;
	struct processes *processes;
	uint32_t *stream_numbers;
	struct following *following; /* owned; NULL: not wanted */
	struct native_thread *thread;
	uint32_t threads, thread_room;
	uint32_t recent[256]; /* places of threads by their tid, as they were found last */
	struct native_waiting *waiting;
	uint32_t waiting_count, waiting_room;
	uint64_t *frame; /* as unwind.h has them */
	uint32_t frames, frame_room;
	uint64_t written_ns; /* what is not later has come too late */
};

void native_init(struct native *native, struct common *common, struct processes *processes,
		 uint32_t *stream_numbers);
void native_release(struct native *native);

/* Takes what has come, then begins and ends to follow processes. Steady time. */
void native_take(struct native *native, uint64_t steady_ns);
/* All that has come by now, before a frame of the file is closed. */
void native_drain(struct native *native);

/* So long may be slept before a ring may be half full; at most `most_ns`. */
uint64_t native_pause_ns(const struct native *native, uint64_t most_ns);

/* Writes the counters that have changed with the next frame. */
void native_settle(struct native *native, uint64_t now_ns);
/* Puts what waits into blocks of its streams; returns how many. `watermark_ns`: of the frame. */
uint32_t native_write(struct native *native, struct frame_writer *fw, uint64_t watermark_ns);

/* CPU time from one sample to the next. */
uint64_t native_period_ns(unsigned int hz);

#endif
