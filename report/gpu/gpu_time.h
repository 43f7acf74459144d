/* SPDX-License-Identifier: MIT */
/*
 * How a device's time was used, by the definitions of HTA (Holistic Trace Analysis). From the first
 * to the last work of the device: how long it was busy, computed (kernels other than those of
 * collectives), copied or set memory, moved data between devices, and did the last while it
 * computed; and how many calls waited for it. And for each stream, what each gap between two pieces
 * of work waited for.
 *
 * Work is reported in any order, so it is kept for DEFERRED_WAIT_NS before it is added up. Memory
 * grows with the work that is reported in that time, with devices and streams, and with long gaps.
 * Work that is reported even later is counted in `late`, and part of it is missing from the sums.
 * Work without a recorded call is in the sums if the whole run was recorded and no filter is set.
 * To be used by one thread.
 */
#ifndef REPORT_GPU_GPU_TIME_H
#define REPORT_GPU_GPU_TIME_H

#include "report/base/map.h"
#include "report/deferred/deferred.h"

/* HTA's consecutive_kernel_delay, in the time unit of its traces. */
#define KERNEL_DELAY_NS 30000u
/* the threshold of nsys' rule gpu_gaps */
#define GPU_GAP_LONG_NS 500000000u

enum gpu_class { GPU_COMPUTES, GPU_COPIES_DATA, GPU_COMMUNICATES, GPU_IS_ASKED, GPU_CLASSES };
enum gpu_gap {
	GPU_GAP_HOST,   /* the call of the next piece had not begun */
	GPU_GAP_KERNEL, /* a short gap between two pieces */
	GPU_GAP_OTHER,
	GPU_GAPS
};

/* A device as a process sees it. */
struct gpu_lane {
	uint32_t process, device;
	bool has_begun;
	uint64_t first_ns, last_ns, swept_ns;
	uint32_t active[GPU_CLASSES], queue_max;
	/* while at least one is active; not used for GPU_IS_ASKED */
	uint64_t class_ns[GPU_CLASSES];
	uint64_t busy_ns, overlap_ns;
	double queue_ns; /* waiting calls, multiplied by their waiting time */
	bool has_sums;   /* INTERCEPT_GPU=sums: nothing is known of queues and gaps */
	/* between windows of INTERCEPT_GPU_STEPS, and when the last of them began */
	bool is_off;
	uint64_t resumed_ns;
};

/* From here on work counts, or does not (INTERCEPT_GPU_STEPS). */
struct gpu_edge {
	uint64_t time_ns;
	uint32_t process;
	bool is_on;
};

struct gpu_stream_time {
	uint32_t lane, stream;
	bool has_work;
	uint64_t last_ns;
	uint64_t gap_count[GPU_GAPS], gap_ns[GPU_GAPS], gap_max_ns[GPU_GAPS];
};

/* The device was idle between two pieces of work, for GPU_GAP_LONG_NS or more. */
struct gpu_long_gap {
	uint32_t lane;
	uint64_t start_ns, ns;
};

/*
 * A stream was idle between two pieces of work. `thread`: index of the thread that launched the
 * second, if its call is known.
 */
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
	struct gpu_edge *edge; /* in order of time */
	size_t edge_count, edge_room;
	uint64_t late;
	uint64_t done_ns; /* work that begins before this time has been added up */
	struct deferred *told;
	gpu_gap_take *take_gap; /* NULL: gaps are not wanted */
	void *taker;
};

struct gpu_time_options {
	uint32_t none;
};
ANALYSIS(gpu_time, struct gpu_time)

/*
 * How long work of the lane counted, from its first work to its last: all of that time but what is
 * between windows.
 */
uint64_t gpu_time_span(const struct gpu_time *time, const struct gpu_lane *lane);

/*
 * For start() of one analysis: it then gets each gap of a stream when it is added up, in the order
 * of their ends.
 */
void gpu_time_listen(struct gpu_time *time, gpu_gap_take *take, void *state);

#endif
