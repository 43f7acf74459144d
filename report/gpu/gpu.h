/* SPDX-License-Identifier: MIT */
/*
 * Kernels, copies, memsets and waits of the GPU, joined with the calls that launched them. GPU work
 * is deferred (collector/format/events/gpu.def): its event comes after its call. The call is found
 * by process and correlation number, and the place of the work (range, operator, thread) is that of
 * the call. Filters apply to the call.
 *
 * Memory grows with distinct rows and with calls whose work has not been reported yet. `trace` has
 * all work, most of it in a temporary file (report/base/spool.h).
 */
#ifndef REPORT_GPU_GPU_H
#define REPORT_GPU_GPU_H

#include "report/base/groups.h"
#include "report/base/spool.h"
#include "report/core/key.h"
#include "report/gpu/gpu_work.h"
#include "report/gpu/gpu_limits.h"

/* GPU_WAITS: from CUPTI's records; GPU_WAIT_CALLS: calls that wait, for `sync` alone. */
enum gpu_table { GPU_KERNELS, GPU_COPIES, GPU_WAITS, GPU_WAIT_CALLS, GPU_TABLES };

/* The words of the groups' keys. */
enum {
	GPU_KEY_PLACE = 0, /* of a kind of key */
	/*
	 * for a kernel the index of its name; for a copy its kind, or GPU_KIND_SET; for a wait its
	 * kind
	 */
	GPU_KEY_WHAT = 1,
	GPU_KEY_DEVICE = 1,
	GPU_KEY_STREAM = 2,
	GPU_KEY_GRID_XY = 2, /* two numbers of 32 bits each, the first in the upper half */
	GPU_KEY_GRID_Z_BLOCK_Z = 3,
	GPU_KEY_BLOCK_XY = 4,
};

#define GPU_KIND_SET 255u

/* Sums of groups of kernels. Weights are durations, so a mean is the quotient of two sums. */
enum {
	GPU_SUM_KNOWN_NS,  /* of kernels whose occupancy is known */
	GPU_SUM_SM_BLOCKS, /* blocks per multiprocessor, multiplied by the duration */
	GPU_SUM_OCCUPANCY, /* estimated occupancy, multiplied by the duration */
	GPU_SUM_TENSOR_NS, /* of kernels that use tensor cores, by their names */
};

/* A piece of work in `trace`, with the fields of struct gpu_work. */
struct gpu_piece {
	uint64_t start_ns; /* must be first: pieces are sorted by it */
	uint64_t duration_ns, bytes, correlation;
	uint32_t kind, process, what, device, context, stream, grid[3], block[3];
};

/*
 * What the rows of the table `keyed` are by. The rows of the other tables are by what the work is.
 */
enum gpu_form { GPU_BY_WHAT, GPU_BY_KIND, GPU_BY_GRID, GPU_BY_STREAM, GPU_BY_DEVICE };

struct gpu {
	enum key_id by;
	enum gpu_table keyed; /* the table that `by` belongs to; GPU_TABLES: none */
	struct groups table[GPU_TABLES];
	enum gpu_form form;
	struct spool trace; /* of struct gpu_piece; empty if no trace is wanted */

	struct gpu_limits limits;
	uint64_t occupancy_unknown; /* kernels that are not in the means of occupancy */
	/* work that was recorded as sums, and cannot be told apart as this report would need */
	uint64_t sums_left_out;
	/* kernels beside the sums that took much longer than others of their name */
	uint64_t unusual, unusual_left_out;
	/* INTERCEPT_GPU_STEPS: of calls behind the first window of their process */
	struct gpu_drawn {
		uint64_t calls, ns;
	} drawn[GPU_TABLES];
	struct deferred *deferred;
	uint64_t lost[EVT_GPU_LOST_LIMIT];
	uint32_t copy_what; /* name of a second libcupti */
	uint64_t state_count
		/* number of processes in which CUPTI was started, and in the other states */
		[EVT_GPU_STATE_LIMIT];
	uint64_t state_result; /* of the last process in which it failed */
	uint32_t state_what;   /* name, of the last process in which it failed or stopped */
	uint32_t shared_what;  /* the function through which another user of CUPTI came */
	uint64_t version;
};

struct gpu_options {
	enum key_id by; /* for one of the reports */
	bool trace;
};
ANALYSIS(gpu, struct gpu)

const struct run_key *gpu_key(const struct gpu *gpu);

/*
 * INTERCEPT_GPU_STEPS: what the drawn steps did, and what all steps did by that. Returns false if
 * all was recorded, nothing was drawn, or a filter is set.
 */
struct gpu_estimate {
	uint64_t steps, calls, ns; /* of the drawn ones */
	uint64_t run_calls, run_ns;
};
bool gpu_estimate(const struct gpu *gpu, const struct run *run, enum gpu_table table,
		  struct gpu_estimate *ret_estimate);

const char *gpu_copy_text(uint64_t kind);

/* --- rows_gpu.c --- */

struct table;
void gpu_fill_kernels(struct gpu *gpu, const struct run *run, struct table *table, bool mangled,
		      bool full);
void gpu_fill_copies(struct gpu *gpu, struct table *table);
/* The table with the rows of `sync`: the calls, if there is no record of a wait. */
enum gpu_table gpu_table_of_waits(const struct gpu *gpu);
void gpu_fill_waits(struct gpu *gpu, struct table *table);
/* What is needed to make rows of the trace on demand; it lives as long as the table. */
struct gpu_trace_rows;
struct gpu_trace_rows *gpu_trace_rows_new(struct gpu *gpu, const struct run *run, bool mangled,
					  bool full);
void gpu_trace_rows_put(struct gpu_trace_rows *rows, struct table *table);
void gpu_trace_rows_free(struct gpu_trace_rows *rows);

#endif
