/* SPDX-License-Identifier: MIT */
/*
 * How a device's time went, by HTA's definitions: of the time from the first to the last thing
 * that it did, when it was busy, computed (kernels but those of collectives), copied or set
 * memory, moved data between devices, and did the last while it computed; how many calls waited
 * for it. And by stream, what each stretch without work waited for.
 *
 * Work is reported in any order, so it waits for DEFERRED_WAIT_NS before it is added up; memory grows
 * with what is reported in that time, with devices and streams, and with long gaps. Work that is
 * reported even later is counted in `late`, and part of it is missing from the sums. Work without
 * a recorded call is in the sums where all of the run was recorded and no filter is set. One
 * thread.
 */
#ifndef REPORT_GPU_GPU_TIME_H
#define REPORT_GPU_GPU_TIME_H

#include "report/base/map.h"
#include "report/deferred/deferred.h"

/* HTA's consecutive_kernel_delay, in the unit of its traces. */
#define KERNEL_DELAY_NS 30000u
/* nsys' rule gpu_gaps. */
#define GPU_GAP_LONG_NS 500000000u

enum gpu_class { GPU_COMPUTES, GPU_COPIES_DATA, GPU_COMMUNICATES, GPU_IS_ASKED, GPU_CLASSES };
enum gpu_gap {
	GPU_GAP_HOST,   /* the call of what came next had not begun */
	GPU_GAP_KERNEL, /* a short stretch between two things */
	GPU_GAP_OTHER,
	GPU_GAPS
};

/* A device as a process sees it. */
struct gpu_lane {
	uint32_t process, device;
	bool has_begun;
	uint64_t first_ns, last_ns, swept_ns;
	uint32_t active[GPU_CLASSES], queue_max;
	uint64_t class_ns[GPU_CLASSES]; /* at least one; not of GPU_IS_ASKED */
	uint64_t busy_ns, overlap_ns;
	double queue_ns; /* calls that wait, times how long */
};

struct gpu_stream_time {
	uint32_t lane, stream;
	bool has_work;
	uint64_t last_ns;
	uint64_t gap_count[GPU_GAPS], gap_ns[GPU_GAPS], gap_max_ns[GPU_GAPS];
};

/* A device did nothing between two things, for GPU_GAP_LONG_NS or more. */
struct gpu_long_gap {
	uint32_t lane;
	uint64_t start_ns, ns;
};

/* A stream did nothing between two things; the thread (index) asked for the second, where its call is known. */
struct gpu_gap_found {
	uint32_t stream; /* index */
	enum gpu_gap kind;
	uint64_t from_ns, to_ns;
	bool has_call;
	uint32_t thread;
};
typedef void gpu_gap_take(void *state, const struct gpu_gap_found *gap);

struct gpu_time {
	struct gpu_lane *lane;
	size_t lane_count, lane_room;
	struct gpu_stream_time *stream;
	size_t stream_count, stream_room;
	struct gpu_long_gap *gap;
	size_t gap_count, gap_room;
	uint64_t late;
	uint64_t done_ns; /* work that begins before it has been added up */
	struct deferred *told;
	gpu_gap_take *take_gap; /* NULL: nobody wants gaps */
	void *taker;
};

struct gpu_time_options {
	uint32_t none;
};
ANALYSIS(gpu_time, struct gpu_time)

/* For start(), of one analysis: each gap of a stream, in the order of their ends, when it is added up. */
void gpu_time_listen(struct gpu_time *time, gpu_gap_take *take, void *state);

#endif
