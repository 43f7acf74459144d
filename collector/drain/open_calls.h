/* SPDX-License-Identifier: MIT */
/*
 * Calls that had not returned when their process ended. The threads have left them in the region
 * (struct region_open_call). They become events of the threads' streams, at the end of the process.
 *
 * A thread that left its call by longjmp() did not note that. It counts as in the call only if it
 * has recorded nothing since. A call of CUDA always counts, because its library allocates, which is
 * recorded.
 *
 * One thread. Bounded by OPEN_CALLS_MAX; calls without room are counted.
 */
#ifndef COLLECTOR_DRAIN_OPEN_CALLS_H
#define COLLECTOR_DRAIN_OPEN_CALLS_H

#include <stdint.h>

#include "collector/core/common.h"
#include "collector/format/block.h"
#include "collector/processes/processes.h"

#define OPEN_CALLS_MAX 4096u

struct open_calls {
	struct open_call {
		uint32_t stream, event;
		uint64_t end_ns, start_ns, function;
		int64_t fd;
	} * call;
	uint32_t count, room;
	uint64_t refused; /* had no room here or in their frame */
};

void open_calls_release(struct open_calls *calls);

struct stream;

/* Examines the ring of a process that is leaving, once. */
void open_calls_take(struct open_calls *calls, struct stream *stream, struct common *common,
		     uint64_t now_ns);

/* Puts the waiting calls into blocks of their streams; returns the number of events. */
uint32_t open_calls_write(struct open_calls *calls, struct frame_writer *fw);

#endif
