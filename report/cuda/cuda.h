/* SPDX-License-Identifier: MIT */
/*
 * CUDA calls as the host sees them: by function, kernel launches, copies, device memory. A call that
 * CUDA made itself inside of another counts for nothing. Names are indices of the model.
 */
#ifndef REPORT_CUDA_CUDA_H
#define REPORT_CUDA_CUDA_H

#include "report/cuda/device_memory.h"
#include "report/base/groups.h"
#include "report/options/keys.h"
#include "report/core/work.h"

#define CUDA_STREAM_PER_THREAD 2 /* every thread's own default stream */

/* The words of groups' keys. */
enum {
	API_FUNCTION = 0,
	FAILURE_RESULT = 1,

	LAUNCH_KERNEL = 0,  /* index of its name */
	LAUNCH_HANDLE = 1,  /* of a kernel without a name, else 0 */
	LAUNCH_GRID_XY = 2, /* of --by grid, else 0: two numbers of 32 bits each, the first above */
	LAUNCH_GRID_Z_SHARED = 3,
	LAUNCH_BLOCK_XY = 4,
	LAUNCH_BLOCK_Z_PROCESS = 5, /* below: process + 1 of a kernel without a name, else 0 */

	KEY_WORD = 1, /* of a kind of key (core/key.h), beside the function or kind */

	STREAM_HANDLE = 0, /* of --by stream */
	STREAM_PROCESS = 1,
	STREAM_THREAD = 2, /* of a per-thread default stream: its thread + 1, else 0 */

	COPY_KIND = 0,
	COPY_FUNCTION = 0,
};

enum cuda_table { CUDA_API, CUDA_LAUNCHES, CUDA_COPIES, CUDA_MEMORY, CUDA_TABLES };

struct cuda {
	uint64_t unfinished;   /* calls that count and had not returned when their process ended */
	enum key_id by;        /* of one of the reports; the others are by their first */
	enum cuda_table keyed; /* the table that `key` of a call is of; CUDA_TABLES: none */
	struct groups api, launches, copies;
	struct device_memory memory;
	struct groups failures; /* by function and result */
	uint64_t *outside;      /* calls with a key of 0 in the table of `by`, by thread */
	size_t outside_room;
	uint64_t last_key; /* of the call taken last; 0 where the rows are not by a kind of key */
	bool has_gpu; /* work of a GPU was recorded, and is in deferred_ns of launches and copies */
};

/* An outermost call of family cuda. */
struct cuda_call {
	const struct event *event;
	uint32_t function, kernel; /* names; kernel of launches only */
	bool is_named;             /* the kernel has a name */
	uint32_t process, thread;
	const struct source_process *holder; /* the process */
	uint64_t key;
	bool counts; /* the filters hold */
};

void cuda_init(struct cuda *cuda, const struct source *source, enum key_id by, bool by_kind);
void cuda_release(struct cuda *cuda);
void cuda_take(struct cuda *cuda, const struct cuda_call *call);
/* Where work of the call is to be counted, for cuda_take_late(); 0: it is neither a launch nor a copy. */
uint64_t cuda_place(struct cuda *cuda, const struct cuda_call *call);
void cuda_take_late(struct cuda *cuda, uint64_t place, uint64_t duration_ns);
/* Launches or copies have the rows that are asked for: work of a GPU is to be counted in them. */
bool cuda_wants_late(const struct cuda *cuda);

/* What rows of device memory are by, with that --by. */
enum device_rows device_rows_of(enum key_id by);

/* What the call adds to the work of its thread. */
struct work cuda_work_of(const struct event *event);

#endif
