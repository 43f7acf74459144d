/* SPDX-License-Identifier: MIT */
/*
 * What threads did while a stream of a GPU was idle: each gap before a piece of work is divided by
 * what the thread that launched that work was doing meanwhile. Gaps are those of gpu_time.h, with
 * the same sums.
 *
 * A thread of autograd's with nothing open waits for the thread that it works for
 * (helpers/helpers.h). Meanwhile the operators, calls and lines of that thread count.
 *
 * A gap contains only what was recorded of that thread: open operators and ranges, calls of CUDA
 * and of input and output, samples of its stack. Everything else is IDLE_NOT_KNOWN, and so are gaps
 * before work without a recorded call.
 *
 * Memory: what threads did in the last DEFERRED_WAIT_NS, or IDLE_PIECES_MAX stretches if that is
 * more. Older stretches are added up for gaps that are still open, by stream, thread and key. One
 * thread. Times are nanoseconds.
 */
#ifndef REPORT_IDLE_IDLE_H
#define REPORT_IDLE_IDLE_H

#include "report/core/key.h"
#include "report/gpu/gpu_time.h"

#define IDLE_PIECES_MAX 1000000u

enum idle_kind {
	IDLE_NOT_KNOWN, /* only key 0 */
	IDLE_OP,        /* value: the key `op`, or `range`, of the event; 0: none is open */
	IDLE_RANGE,
	IDLE_CUDA, /* value: the function's name, by index */
	IDLE_CUDA_LAUNCH,
	IDLE_CUDA_COPY,
	IDLE_CUDA_MEMORY,
	IDLE_IO,
	IDLE_PLACE, /* value: as from samples_place(), or SAMPLE_TORN_PLACE */
	IDLE_STATE, /* value: enum evt_python_state */
	/*
	 * not a row of the report: the state of the thread with that index, for which the thread
	 * works
	 */
	IDLE_OWNER,
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
	struct idle_row *row; /* the first is IDLE_NOT_KNOWN; none if rows are by kind */
	size_t row_count, row_room;
	struct run_key op, range; /* without a kind: not wanted */
};

struct idle_options {
	enum key_id by;      /* of report gpu-idle */
	uint32_t pieces_max; /* 0: IDLE_PIECES_MAX */
};
ANALYSIS(idle, struct idle)

#endif
