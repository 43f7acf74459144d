/* SPDX-License-Identifier: MIT */
/*
 * Streams: one claim of a ring is one stream of the file. Notices claims, journals thread, thread_name,
 * thread_end and lost events, and gives rings back.
 *
 * The consumer's position lives here; what stands in the region is only ever written, so that a
 * scribble over it harms the program's own ring alone. One thread.
 */
#ifndef COLLECTOR_DRAIN_STREAMS_H
#define COLLECTOR_DRAIN_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/drain/open_calls.h"
#include "collector/processes/proc.h"
#include "collector/processes/processes.h"

/* What sched.c has told of a thread. */
struct stream_sched {
	uint64_t cpu_ns, runnable_ns, voluntary, involuntary;
	uint32_t looks;
};

struct stream {
	uint32_t number; /* in the file; 0: unused */
	uint32_t index;  /* of its ring */
	uint32_t serial; /* claim of the ring */
	uint32_t tid;
	struct process *process; /* never NULL while in use; outlives the stream */
	bool closed;             /* scribbled over, no longer read */
	bool open_calls_taken;
	bool is_second;   /* of a signal handler that interrupted a record of the thread */
	uint64_t tail;    /* words consumed */
	uint64_t dropped; /* last value seen of the ring's counter */
	const uint64_t *words;
	uint64_t word_count; /* power of two */
	struct names_text text;
	uint64_t stack;             /* id: of the next record; 0: none */
	char name[PROC_NAME_BYTES]; /* last one told, not terminated */
	uint8_t name_length;
	struct stream_sched sched;
};

struct streams {
	struct stream *slot; /* one a ring */
	uint32_t *active;    /* slots in use, in no order */
	uint32_t active_count;
	uint32_t numbers; /* given so far */
	uint32_t visit;   /* where the next look at threads goes on */
	struct open_calls open_calls;
};

int streams_init(struct streams *streams, const struct common *common);
void streams_release(struct streams *streams, struct common *common);

/* New claims become streams. */
void streams_scan(struct streams *streams, struct common *common, struct processes *processes);

/* Words that wait in the ring, 0 when it is closed. May be nonsense: see drain.c. */
static inline uint64_t stream_backlog(const struct stream *stream, const struct region_ring *ring)
{
	uint64_t head = atomic_load_explicit(&((struct region_ring *)ring)->head,
					     memory_order_acquire);

	return stream->closed ? 0 : head - stream->tail;
}

/* Publishes the tail and wakes a producer that waits for room. */
void stream_publish(const struct stream *stream, struct region_ring *ring);

/* Stops reading a ring and says so; `lost` records at least. */
void stream_close(struct stream *stream, struct common *common, uint64_t now_ns);

/* Journals drops that are new; returns how many. */
uint64_t streams_tell_losses(struct streams *streams, struct common *common, uint64_t now_ns);

/*
 * Ends streams whose thread or process is gone and whose ring is empty, and gives the ring back.
 * Retired rings are asked for each time, the other threads in turns. `names`: look at names, too.
 */
void streams_reap(struct streams *streams, struct common *common, uint64_t now_ns, bool names);

/* Calls that threads of a process are in, which is leaving and whose end has not been told. */
void streams_take_open_calls(struct streams *streams, struct common *common,
			     const struct process *process, uint64_t now_ns);

/* Thread names of a process that is leaving, before it is gone. */
void streams_tell_names(struct streams *streams, struct common *common,
			const struct process *process, uint64_t now_ns);

/* Whether a process still has streams. */
bool streams_has_process(const struct streams *streams, const struct process *process);

#endif
