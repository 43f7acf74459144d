/* SPDX-License-Identifier: MIT */
/*
 * What the region says of the waits of threads (family osrt, struct region_waits): sums of short
 * calls, calls that have not returned for a while, and those that had not when their process ended.
 * They become events of the threads' streams: osrt_short, osrt_waiting and osrt_unfinished. Sums of
 * family io, of which the threads themselves make events, leave a rest: io_short.
 *
 * One thread. Bounded by THREAD_WAITS_MAX a frame; what has no room there is counted.
 */
#ifndef COLLECTOR_DRAIN_THREAD_WAITS_H
#define COLLECTOR_DRAIN_THREAD_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/format/block.h"

#define THREAD_WAITS_MAX 65536u
#define THREAD_WAITS_LONG_NS 1000000000u   /* from then on a call is said to go on */
#define THREAD_WAITS_AGAIN_NS 60000000000u /* that is said again at least this often */

struct thread_waits {
	struct thread_wait {
		uint32_t stream, event;
		uint64_t time_ns;
		uint64_t value[6]; /* the event's fields, in their order */
	} * wait;
	uint32_t count, room;
	uint64_t refused; /* had no room here or in their frame */
};

/* What of a stream is in the file. Zeroed memory is a new one. */
struct stream_waits {
	struct {
		uint64_t calls, ticks;
	} * sum;            /* [REGION_WAIT_LIMIT], NULL: nothing yet */
	uint64_t waiting;   /* start of the last call that was said to go on */
	uint64_t waited_ns; /* how long it had lasted when that was said last */
	bool io_taken;      /* short calls of family io */
};

struct stream;

void thread_waits_release(struct thread_waits *waits);
void stream_waits_release(struct stream_waits *told);

/* Its thread is in a call that goes on for long, and no event says so, or says for how long. */
bool thread_waits_are_due(const struct stream *stream, struct common *common);
/* New short calls of the stream, and a call that goes on for long. */
void thread_waits_take(struct thread_waits *waits, struct stream *stream, struct common *common,
		       uint64_t now_ns);
/* The stream ends, or its process does: short calls of family io that are in no event yet, once. */
void thread_waits_take_io(struct thread_waits *waits, struct stream *stream, struct common *common,
			  uint64_t now_ns);
/* The stream's process has ended or is leaving: a call that its thread is in. */
void thread_waits_take_last(struct thread_waits *waits, struct stream *stream,
			    struct common *common, uint64_t now_ns);

/* Puts what waits into blocks of its streams; returns the number of events. */
uint32_t thread_waits_write(struct thread_waits *waits, struct frame_writer *fw);

#endif
