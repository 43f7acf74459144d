/* SPDX-License-Identifier: MIT */
/*
 * How a device's time went, by HTA's definitions: of the time from the first to the last thing that it did, when it was
 * busy, computed (kernels but those of collectives), copied or set memory, moved data between devices, and did the
 * last while it computed; how many calls waited for it. And by stream, what each stretch without work waited for.
 *
 * Work is told in any order, so that it waits for LATE_WAIT_NS before it is added up; memory grows with what was told
 * in that time, and with devices and streams. What is told later is counted in `late` and is in part not in the sums.
 * Work without a recorded call is in the sums where all of the run was recorded and no filter is set. One thread.
 */
#ifndef REPORT_GPU_GPU_TIME_H
#define REPORT_GPU_GPU_TIME_H

#include "report/base/map.h"
#include "report/core/late.h"

/* HTA's consecutive_kernel_delay, in the unit of its traces. */
#define KERNEL_DELAY_NS 30000u

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

struct gpu_time {
	struct gpu_lane *lane;
	size_t lane_count, lane_room;
	struct gpu_stream_time *stream;
	size_t stream_count, stream_room;
	uint64_t late;
	struct late *told;
};

struct gpu_time_options {
	uint32_t none;
};
ANALYSIS(gpu_time, struct gpu_time)

#endif
