/* SPDX-License-Identifier: MIT */
/*
 * CUDA calls as the host sees them: by function, kernel launches, copies, and device memory. Calls
 * that CUDA itself makes inside of another call do not count. Names are indices into the model.
 */
#ifndef REPORT_CUDA_CUDA_H
#define REPORT_CUDA_CUDA_H

#include "report/cuda/device_memory.h"
#include "report/base/groups.h"
#include "report/options/keys.h"
#include "report/core/work.h"

#define CUDA_STREAM_PER_THREAD 2 /* the default stream that each thread has for itself */

/* The words of the groups' keys. */
enum {
	API_FUNCTION = 0,
	FAILURE_RESULT = 1,

	LAUNCH_KERNEL = 0, /* index of the kernel's name */
	LAUNCH_HANDLE = 1, /* of a kernel without a name, otherwise 0 */
	/* of --by grid, otherwise 0: two numbers of 32 bits each, the first in the upper half */
	LAUNCH_GRID_XY = 2,
	LAUNCH_GRID_Z_SHARED = 3,
	LAUNCH_BLOCK_XY = 4,
	/* lower half: process + 1 of a kernel without a name, otherwise 0 */
	LAUNCH_BLOCK_Z_PROCESS = 5,

	KEY_WORD = 1, /* of a kind of key (core/key.h), beside the function or kind */

	STREAM_HANDLE = 0, /* of --by stream */
	STREAM_PROCESS = 1,
	STREAM_THREAD = 2, /* of a per-thread default stream: its thread + 1, otherwise 0 */

	COPY_KIND = 0,
	COPY_FUNCTION = 0,
};

enum cuda_table { CUDA_API, CUDA_LAUNCHES, CUDA_COPIES, CUDA_MEMORY, CUDA_TABLES };

struct cuda {
	uint64_t unfinished;   /* calls that count and had not returned when their process ended */
	enum key_id by;        /* for one of the reports; the other tables use their first key */
	enum cuda_table keyed; /* the table that `key` of a call belongs to; CUDA_TABLES: none */
	struct groups api, launches, copies;
	struct device_memory memory;
	struct groups failures; /* by function and result */
	uint64_t *outside;      /* by thread: calls in the table of `by` whose key is 0 */
	size_t outside_room;
	uint64_t last_key; /* of the latest call; 0 if the rows are not by a kind of key */
	bool has_gpu;      /* GPU work was recorded, and is in deferred_ns of launches and copies */
};

/* An outermost call of family cuda. */
struct cuda_call {
	const struct event *event;
	uint32_t function, kernel; /* indices of names; kernel is set for launches only */
	bool is_named;             /* the kernel has a name */
	uint32_t process, thread;
	const struct source_process *holder; /* the process */
	uint64_t key;
	bool counts; /* the filters hold */
};

void cuda_init(struct cuda *cuda, const struct source *source, enum key_id by, bool by_kind);
void cuda_release(struct cuda *cuda);
void cuda_take(struct cuda *cuda, const struct cuda_call *call);
/*
 * Returns where GPU work of the call is to be counted, for cuda_take_deferred(); 0: it is neither a
 * launch nor a copy.
 */
uint64_t cuda_place(struct cuda *cuda, const struct cuda_call *call);
void cuda_take_deferred(struct cuda *cuda, uint64_t place, uint64_t duration_ns);
/*
 * Returns whether the table that is wanted is one of launches or copies: then GPU work must be
 * counted in it.
 */
bool cuda_wants_deferred(const struct cuda *cuda);

/* Returns what the rows of device memory are by, with that --by. */
enum device_rows device_rows_of(enum key_id by);

/* Returns what the call adds to the work of its thread. */
struct work cuda_work_of(const struct event *event);

#endif
