/* SPDX-License-Identifier: MIT */
/*
 * Memory of PyTorch's tensors, of all processes over time: which blocks are live, by device and by
 * one key.
 *
 * A block is identified by process and address; those of the CPU are separate. The rules are those
 * of the heap (heap.h): an allocation of an address that is live ends the old block; an order that
 * is wrong by a microsecond between threads is corrected; a free of an unknown block is unmatched;
 * a forked child starts with no blocks.
 *
 * A row holds what was allocated at its key (and how much of that was live at the device's peak,
 * and is live at the end), what was freed there, wherever it was allocated, and the sum of both for
 * all that happened inside of it.
 *
 * A process that has ended holds nothing: what it never freed is live in the rows, but in no peak
 * and no sum over time from then on.
 *
 * Memory grows with live blocks and with rows.
 */
#ifndef REPORT_TENSORS_TENSORS_H
#define REPORT_TENSORS_TENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/curve.h"
#include "report/base/layers.h"
#include "report/base/map.h"
#include "report/core/holdings.h"

#define TENSOR_OUTER_MAX 64u /* enclosing keys of one key */

enum tensors_by {
	/* the key is given with each block; all keys are 0 if rows are by device alone */
	TENSORS_BY_KEY,
	TENSORS_BY_SIZE,
};

struct tensor_op {
	uint64_t time_ns, address;
	uint64_t bytes;        /* 0 for a free: that of its allocation is used */
	uint64_t device;       /* see events.def */
	uint64_t key;          /* by size: the class is found from the block */
	const uint64_t *outer; /* keys of the enclosing scopes */
	unsigned int outer_count;
	uint32_t process, thread; /* indices of the source */
	bool counts; /* the filters hold; an allocation that does not count is only remembered */
};

struct tensor_flow {
	uint64_t allocations, bytes_allocated, frees, bytes_freed;
};

struct tensor_row {
	uint64_t key;
	uint32_t device; /* index */
	struct tensor_flow self, total;
	uint64_t live_allocations, live_bytes;
	/* the part of the live bytes that belongs to processes that have ended */
	uint64_t gone_bytes;
	uint64_t peak_bytes; /* at the device's peak; tensors_finish() completes it */
	uint64_t peak_seen;
};

/* What is live on a device, or on all devices. */
struct tensor_live {
	uint64_t allocations, bytes;
	uint64_t gone_bytes; /* the part of `bytes` that belongs to processes that have ended */
	uint64_t peak_bytes, peak_time_ns, peak_number;
};

struct tensor_device {
	uint64_t device;
	struct tensor_flow flow; /* frees: of blocks whose allocation counts */
	struct tensor_live live;
	uint64_t ooms;
	uint64_t reserved,
		/* held by its allocators; 0: not known; of processes that have not ended */
		reserved_peak;
	struct curve curve; /* of live bytes */
};

struct tensors {
	enum tensors_by by;
	struct tensor_flow flow;
	struct tensor_live live;
	uint64_t frees_unmatched, reused, ooms;
	uint64_t
		/* one of so many operators was recorded, which may own a block; 0: all */
		operators_one_in;
	struct tensor_row *row;
	size_t row_count, row_room;
	struct tensor_device *device;
	size_t device_count, device_room;
	struct tensor_block *block;
	size_t block_count, block_room;
	uint32_t unused;        /* list of free entries of `block` */
	struct layers *layers;  /* of rows' live bytes, over all devices; NULL: not wanted */
	uint64_t layers_due_ns; /* the same as layers->due_ns */
	struct map rows, devices, blocks;
	struct holdings reserved;        /* of devices */
	struct tensor_process **process; /* by index; NULL before its first event */
	size_t process_room;
};

/* `source` knows which processes have ended, and must outlive it; NULL: no process ends. */
void tensors_init(struct tensors *tensors, enum tensors_by by, const struct source *source);
void tensors_release(struct tensors *tensors);
/* The same as those of the heap (report/heap/heap.h). */
void tensors_keep_layers(struct tensors *tensors);
const struct layers *tensors_end_layers(struct tensors *tensors, uint64_t end_ns);

void tensors_allocate(struct tensors *tensors, const struct tensor_op *op);
/* Returns the bytes that are freed; 0: not known. */
uint64_t tensors_free(struct tensors *tensors, const struct tensor_op *op);
void tensors_reserve(struct tensors *tensors, const struct source_process *process,
		     uint64_t time_ns, uint64_t device, uint64_t bytes);
/* The process holds nothing from now on. */
void tensors_end_process(struct tensors *tensors, uint32_t process, uint64_t time_ns);
void tensors_fail(struct tensors *tensors, uint64_t device);
/* To be called after the last event and before rows are read. */
void tensors_finish(struct tensors *tensors);

#endif
