/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_GPU=sums: kernels, copies and memsets are added up instead of recorded one by one, by
 * what they were, where they ran and the scope of their call (contexts.h). Written every
 * GPU_SUMS_NS, with the time that devices were busy, in all and in each stretch between two cuts
 * (contexts.h) or edges of steps. Kernels that take much longer than those of their name before
 * them have an event of their own beside the sums.
 *
 * Memory is bounded: GPU_SUMS_KEYS keys an interval (work without room is one key more for each
 * process and kind), GPU_SUMS_WAITING pieces that wait for their call, GPU_SUMS_PROCESSES processes
 * and as many devices each; other processes are recorded as without this. One thread; exists only
 * while sums are wanted (common.gpu_sums).
 */
#ifndef COLLECTOR_GPU_GPU_SUMS_H
#define COLLECTOR_GPU_GPU_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/gpu/contexts.h"
#include "collector/gpu/cover.h"

#define GPU_SUMS_NS 10000000000ull
#define GPU_SUMS_KEYS 8192u
#define GPU_SUMS_WAITING 16384u
#define GPU_SUMS_PROCESSES 16u
#define GPU_SUMS_DEVICES 16u
#define GPU_SUMS_EDGES 1024u
#define GPU_SUMS_SETTLED 3u /* earlier steps are warm-up, as in the report (EVIDENCE_SETTLED) */
#define GPU_SUMS_CUTS (1u << 16) /* edges of stretches that wait for the work of their time */
/*
 * A kernel is unusual if it took this many times the mean of at least so many of its name before
 * it, and this time at least. So many an interval have an event of their own.
 */
#define GPU_UNUSUAL_TIMES 10.0
#define GPU_UNUSUAL_AFTER 100u
#define GPU_UNUSUAL_NS 50000u
#define GPU_UNUSUAL_TOLD 256u
/* CUPTI hands work out at least once a second; what is later than this counts in part */
#define GPU_SUMS_LATE_NS 3000000000ull

struct gpu_sum {
	struct gpu_sum_key {
		uint32_t process, device, context, stream, scope;
		uint32_t what;    /* a kernel's name, or the kind of a copy */
		uint32_t is_copy; /* 0 or 1, so that there is no padding */
		uint32_t drawn;   /* 1: the call was behind the first window */
		uint32_t settled; /* 1: it was behind the begin of step GPU_SUMS_SETTLED */
		uint32_t memory;  /* of the host, of a copy to or from it; 0: none */
	} key;
	uint64_t count, total_ns, min_ns, max_ns, bytes, max_bytes, longest_at_ns;
	double mean, squares;
};

struct gpu_piece_waiting {
	struct gpu_sum_key key; /* without the scope */
	uint64_t correlation, start_ns, duration_ns, bytes;
	unsigned int settles; /* that it has waited for */
};

struct gpu_process {
	uint32_t process;          /* 0: unused */
	bool leaves, lacks_detail; /* lacks_detail: it is between windows of detail */
	struct gpu_device_cover {
		bool used;
		uint32_t device;
		struct cover cover;
		uint64_t told_ns[COVER_MASKS], told_late;
		uint64_t off_ns[COVER_MASKS]; /* when the process's window ended */
	} device[GPU_SUMS_DEVICES];
	struct cover all;              /* of its devices, for stretches */
	uint64_t told_ns[COVER_MASKS]; /* of `all` when the stretch began */
	uint64_t told_late;
	uint64_t *cut; /* times at which stretches begin or end, in no order */
	uint32_t cuts;
	/*
	 * INTERCEPT_GPU_STEPS: edges of windows that wait as cuts do. Between windows (is_off) only
	 * stretches are told.
	 */
	struct gpu_edge {
		uint64_t ns;
		bool is_on;
	} * edge;
	uint32_t edges;
	bool has_windows, is_off;
	uint64_t first_end_ns; /* of the first window; 0: it has not ended */
	uint64_t settled_ns;   /* step GPU_SUMS_SETTLED began then; 0: it has not */
	uint64_t cut_ns;       /* the stretch that is under way began then; 0: none is */
};

struct gpu_sums {
	struct common *common;
	struct contexts contexts;
	struct gpu_sum *sum;
	uint32_t *slot; /* index of a sum, plus 1 */
	uint32_t sums;
	struct gpu_piece_waiting *waiting;
	uint32_t waiting_count;
	struct gpu_process process[GPU_SUMS_PROCESSES];
	uint64_t interval_from_ns;
	uint64_t too_many;         /* name for kernels without room */
	uint8_t *is_communication; /* by name id */
	uint32_t name_room;
	struct gpu_usual {
		double mean_ns;
		uint32_t count;
	} * usual; /* of kernels, by name id */
	uint32_t usual_room;
	uint32_t unusual; /* told in this interval */
	uint64_t unusual_left_out;
	uint8_t *is_wait; /* functions that only wait, by name id */
	uint32_t wait_room;
};

struct gpu_sums *gpu_sums_new(struct common *common);
void gpu_sums_free(struct gpu_sums *sums);

/* What an event is for them. */
enum gpu_sums_role { GPU_SUMS_NOTHING, GPU_SUMS_WORK, GPU_SUMS_CALL, GPU_SUMS_SCOPE };
extern const uint8_t gpu_sums_roles[EVT_ID_LIMIT];

/* The thread that an event is of. */
struct gpu_sums_place {
	uint32_t ring, stream, process;
};

/* Takes work instead of the file. Returns false if it must be recorded. */
bool gpu_sums_take_work(struct gpu_sums *sums, const struct gpu_sums_place *place, uint32_t id,
			uint64_t ns, const uint64_t *value);
/* A call. Its correlation number is not needed in the file, so it becomes 0. */
void gpu_sums_take_call(struct gpu_sums *sums, const struct gpu_sums_place *place, uint32_t id,
			uint64_t ns, uint64_t *value);
/* Operators, labels and steps, after they have been recorded. */
void gpu_sums_take_scope(struct gpu_sums *sums, const struct gpu_sums_place *place, uint32_t id,
			 uint64_t ns, const uint64_t *value);

/* The process has written its last record. */
void gpu_sums_leave(struct gpu_sums *sums, uint32_t process);
/* Adds to the journal what is due up to now; `all`: everything. */
void gpu_sums_settle(struct gpu_sums *sums, uint64_t now_ns, bool all);

#endif
