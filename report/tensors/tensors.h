/* SPDX-License-Identifier: MIT */
/*
 * Memory of PyTorch's tensors, of all processes over time: which blocks live, by device and by one
 * key.
 *
 * A block is known by process and address, those of the CPU apart. The rules are the heap's
 * (heap.h): an allocation of an address that is live ends the old block, an order that is wrong by
 * a microsecond across threads is put right, a free of a block never seen is unmatched, a forked
 * child starts with none.
 *
 * A row holds what was allocated at its key (also: how much of that was live at the device's peak,
 * and is at the end), what was freed there, whatever its origin, and both of all that happened
 * inside of it.
 *
 * A process that has ended holds nothing: what it never freed is live in the rows, and in no peak
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

#define TENSOR_OUTER_MAX 64u /* keys around one */

enum tensors_by {
	TENSORS_BY_KEY, /* told with each block; 0 of all where rows are by device alone */
	TENSORS_BY_SIZE,
};

struct tensor_op {
	uint64_t time_ns, address;
	uint64_t bytes;        /* of a free 0: those of its allocation */
	uint64_t device;       /* see events.def */
	uint64_t key;          /* by size: the class is found by the block */
	const uint64_t *outer; /* keys of what is around */
	unsigned int outer_count;
	uint32_t process, thread; /* indices of the source */
	bool counts; /* the filters hold: an allocation that does not count is only remembered */
};

struct tensor_flow {
	uint64_t allocations, bytes_allocated, frees, bytes_freed;
};

struct tensor_row {
	uint64_t key;
	uint32_t device; /* index */
	struct tensor_flow self, total;
	uint64_t live_allocations, live_bytes;
	uint64_t gone_bytes; /* of the live ones, those of processes that have ended */
	uint64_t peak_bytes; /* at the device's peak; tensors_finish() completes it */
	uint64_t peak_seen;
};

/* What lives on a device, or on all. */
struct tensor_live {
	uint64_t allocations, bytes;
	uint64_t gone_bytes; /* of `bytes`, those of processes that have ended */
	uint64_t peak_bytes, peak_time_ns, peak_number;
};

struct tensor_device {
	uint64_t device;
	struct tensor_flow flow; /* frees: of blocks whose allocation counts */
	struct tensor_live live;
	uint64_t ooms;
	uint64_t reserved,
		/* by its allocators, 0: not told; of processes that have not ended */
		reserved_peak;
	struct curve curve; /* of live bytes */
};

struct tensors {
	enum tensors_by by;
	struct tensor_flow flow;
	struct tensor_live live;
	uint64_t frees_unmatched, reused, ooms;
	uint64_t
		/* so many operators one was recorded, which may own a block; 0: all */
		operators_one_in;
	struct tensor_row *row;
	size_t row_count, row_room;
	struct tensor_device *device;
	size_t device_count, device_room;
	struct tensor_block *block;
	size_t block_count, block_room;
	uint32_t unused;        /* list of free entries of `block` */
	struct layers *layers;  /* of rows' live bytes, of all devices; NULL: nobody wants them */
	uint64_t layers_due_ns; /* as layers->due_ns */
	struct map rows, devices, blocks;
	struct holdings reserved;        /* of devices */
	struct tensor_process **process; /* by index, NULL before its first event */
	size_t process_room;
};

/* `source` says which processes have ended, and outlives it; NULL: none does. */
void tensors_init(struct tensors *tensors, enum tensors_by by, const struct source *source);
void tensors_release(struct tensors *tensors);
/* As those of the heap (report/heap/heap.h). */
void tensors_keep_layers(struct tensors *tensors);
const struct layers *tensors_end_layers(struct tensors *tensors, uint64_t end_ns);

void tensors_allocate(struct tensors *tensors, const struct tensor_op *op);
/* Returns the bytes that are freed, 0 when they are not known. */
uint64_t tensors_free(struct tensors *tensors, const struct tensor_op *op);
void tensors_reserve(struct tensors *tensors, const struct source_process *process,
		     uint64_t time_ns, uint64_t device, uint64_t bytes);
/* It holds nothing from here on. */
void tensors_end_process(struct tensors *tensors, uint32_t process, uint64_t time_ns);
void tensors_fail(struct tensors *tensors, uint64_t device);
/* After the last event, before rows are read. */
void tensors_finish(struct tensors *tensors);

#endif
