/* SPDX-License-Identifier: MIT */
/*
 * Streams: one claim of a ring is one stream of the file. Notices claims, adds thread, thread_name,
 * thread_end and lost events to the journal, and gives rings back.
 *
 * The consumer's position is kept here; its copy in the region is only written. So if a program
 * overwrites it, it harms only its own ring. One thread.
 */
#ifndef COLLECTOR_DRAIN_STREAMS_H
#define COLLECTOR_DRAIN_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/drain/open_calls.h"
#include "collector/drain/silent_threads.h"
#include "collector/drain/thread_waits.h"
#include "collector/processes/proc.h"
#include "collector/processes/processes.h"

/* What sched.c has recorded of a thread. */
struct stream {
	uint32_t number; /* in the file; 0: unused */
	uint32_t index;  /* index of its ring */
	uint32_t serial; /* claim of the ring */
	uint32_t tid;
	struct process *process; /* never NULL while in use; outlives the stream */
	bool closed;             /* overwritten by the program, no longer read */
	bool open_calls_taken;
	bool is_second;   /* belongs to a signal handler that interrupted a record of the thread */
	uint64_t tail;    /* words consumed */
	uint64_t dropped; /* last value of the ring's counter */
	uint64_t newest_ticks; /* of its records */
	const uint64_t *words;
	uint64_t word_count; /* power of two */
	struct names_text text;
	uint64_t stack;             /* id of the stack of the next record; 0: none */
	char name[PROC_NAME_BYTES]; /* last recorded name, not terminated */
	uint8_t name_length;
	struct thread_sched sched; /* as it was told last */
	struct stream_waits waits;
};

struct streams {
	struct stream *slot; /* one per ring */
	uint32_t *active;    /* slots in use, in no order */
	uint32_t active_count;
	uint32_t numbers; /* numbers given so far */
	uint32_t visit;   /* where the next look at threads continues */
	struct open_calls open_calls;
	struct silent_threads silent;
	struct thread_waits waits;
};

int streams_init(struct streams *streams, const struct common *common);
void streams_release(struct streams *streams, struct common *common);

/* Makes streams of new claims. */
void streams_scan(struct streams *streams, struct common *common, struct processes *processes);

/* Words that wait in the ring, 0 if it is closed. The value may be invalid: see drain.c. */
static inline uint64_t stream_backlog(const struct stream *stream, const struct region_ring *ring)
{
	uint64_t head = atomic_load_explicit(&((struct region_ring *)ring)->head,
					     memory_order_acquire);

	return stream->closed ? 0 : head - stream->tail;
}

/* Publishes the tail and wakes a producer that waits for room. */
/* Records what the scheduler has counted for the stream's thread. */
void stream_put_sched(struct stream *stream, struct common *common, uint64_t time_ns,
		      const struct thread_sched *sched);
void stream_publish(const struct stream *stream, struct region_ring *ring);

/* Stops reading a ring and records that, with at least `lost` lost records. */
void stream_close(struct stream *stream, struct common *common, uint64_t now_ns);

/* Adds new drops to the journal; returns their number. */
uint64_t streams_tell_losses(struct streams *streams, struct common *common, uint64_t now_ns);

/*
 * Ends streams whose thread or process is gone and whose ring is empty, and gives the ring back.
 * Retired rings are checked each time, other threads in turn. `names`: check names, too.
 */
void streams_reap(struct streams *streams, struct common *common, uint64_t now_ns, bool names);

/* Takes the open calls of a process that is leaving and whose end is not recorded yet. */
void streams_take_open_calls(struct streams *streams, struct common *common,
			     const struct process *process, uint64_t now_ns);

/* True if a thread is in a call of which is to be said that it goes on. */
bool streams_have_waits(const struct streams *streams, struct common *common);
/* Takes what all threads say of their waits, up to now. */
void streams_take_waits(struct streams *streams, struct common *common, uint64_t now_ns);

/* Records the thread names of a process that is leaving, before it is gone. */
void streams_tell_names(struct streams *streams, struct common *common,
			const struct process *process, uint64_t now_ns);

/* True if a process still has streams. */
bool streams_has_process(const struct streams *streams, const struct process *process);

#endif
