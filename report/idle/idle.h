/* SPDX-License-Identifier: MIT */
/*
 * What threads did while a stream of a GPU had nothing to do: each gap before a piece of work is taken apart into what
 * the thread that asked for that work was in meanwhile. Gaps are those of gpu_time.h, and the sums are theirs.
 *
 * A thread of autograd's that is in nothing waits for the thread that it works for (helpers/helpers.h): meanwhile that one's
 * operators, calls and lines count.
 *
 * A gap has only what was recorded of that thread: operators and ranges that were open, calls of CUDA and of input and
 * output, looks at its stack. All else is IDLE_NOT_KNOWN, as are gaps before work without a recorded call.
 *
 * Memory: what threads did in the last DEFERRED_WAIT_NS, or IDLE_PIECES_MAX stretches where that is more. Older ones are
 * added up for the gaps that are still open, by stream, thread and key. One thread. Times are nanoseconds.
 */
#ifndef REPORT_IDLE_IDLE_H
#define REPORT_IDLE_IDLE_H

#include "report/core/key.h"
#include "report/gpu/gpu_time.h"

#define IDLE_PIECES_MAX 1000000u

enum idle_kind {
	IDLE_NOT_KNOWN, /* key 0 and no other */
	IDLE_OP,        /* value: the key `op`, or `range`, of the event; 0: none is open */
	IDLE_RANGE,
	IDLE_CUDA, /* value: the function's name, by index */
	IDLE_CUDA_LAUNCH,
	IDLE_CUDA_COPY,
	IDLE_CUDA_MEMORY,
	IDLE_IO,
	IDLE_PLACE, /* value: as of samples_place(), or SAMPLE_TORN_PLACE */
	IDLE_STATE, /* value: enum evt_python_state */
	IDLE_OWNER, /* no row of the report: what the thread of that index, for which the thread works, was in */
};

/* Stretches of gaps of one kind. */
struct idle_sum {
	uint64_t count, total_ns, max_ns;
};

struct idle_row {
	enum idle_kind kind;
	uint64_t value;
	struct idle_sum gap[GPU_GAPS];
};

struct idle {
	struct idle_row *row; /* the first is IDLE_NOT_KNOWN; none where rows are by kind */
	size_t row_count, row_room;
	struct run_key op, range; /* without a kind: not wanted */
};

struct idle_options {
	enum key_id by;      /* of report gpu-idle */
	uint32_t pieces_max; /* 0: IDLE_PIECES_MAX */
};
ANALYSIS(idle, struct idle)

#endif
