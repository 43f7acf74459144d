/* SPDX-License-Identifier: MIT */
/*
 * Memory that CUDA gave out, of all processes over time: which blocks live, by device and kind, and
 * by a key.
 *
 * A block is known by process and address; arrays and virtual memory, known by handles, each have
 * numbers of their own. Calls are taken at their return, but a block is gone when the call that frees
 * it begins: an allocation of an address that is live tells that the block there is being freed by a
 * call that is yet to return, and that call's event then ends nothing. A free of a block never seen is
 * unmatched; a forked child starts with no blocks (its process number is new). A process that has ended holds
 * nothing, though it gave nothing back: its blocks are live no more for peaks, but `left` has them.
 *
 * Memory grows with live blocks and with rows.
 */
#ifndef REPORT_CUDA_DEVICE_MEMORY_H
#define REPORT_CUDA_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/format/events.h"
#include "report/base/highwater.h"
#include "report/base/ledger.h"
#include "report/base/map.h"
#include "report/core/holdings.h"

/* Kinds that only CUPTI tells of: of modules; of the host, not pinned. */
#define DEVICE_VARIABLES EVT_CUDA_MEMORY_LIMIT
#define HOST_PAGEABLE (EVT_CUDA_MEMORY_LIMIT + 1)
#define DEVICE_KINDS (EVT_CUDA_MEMORY_LIMIT + 2)
#define DISPLACED_MAX 64 /* as many calls that free may be on their way at once */

struct device_op {
	uint64_t time_ns, begin_ns; /* of the return and of the call */
	uint64_t address, bytes, kind;
	int64_t device;
	uint32_t process;
	const struct source_process *holder; /* the same; NULL, as in tests: it never ends */
	uint64_t key;                        /* of --by, 0: none */
	bool counts; /* the filters hold: an allocation that does not count is only remembered */
};

/* What the rows are by: device and kind, these and a key, or device, with host memory apart. */
enum device_rows { DEVICE_BY_KIND, DEVICE_BY_KEY, DEVICE_BY_DEVICE };

struct device_row {
	int64_t device; /* -1 unknown */
	uint64_t kind;  /* enum evt_cuda_memory, or one of CUPTI's; by device: of the first */
	uint64_t key;   /* of the first */
	uint64_t allocations, frees, bytes_allocated;
	uint64_t left; /* bytes that were never given back */
	struct highwater live;
};

struct device_memory {
	enum device_rows by;
	bool has_addresses_only; /* arrays and virtual memory, too, are known by address */
	struct device_row *row;
	size_t row_count, row_room;
	struct map rows; /* hash of device, kind and key */
	struct device_block *block;
	size_t block_count, block_room;
	uint32_t unused;   /* list of free entries of `block` */
	struct map blocks; /* hash of the identity to place */
	struct map lists;  /* hash of process and device to the first of what a reset frees */
	struct device_displaced {
		uint64_t identity, born_ns, time_ns, bytes; /* identity 0: none */
		uint32_t row, holding;
	} displaced[DISPLACED_MAX];
	unsigned int displaced_next;
	struct highwater device, host; /* all of the device kinds; of the host */
	uint64_t device_left, host_left;
	struct holdings holdings; /* of rows */
	struct ledger ledger;     /* rows at the peak of `device` */
	uint64_t frees_unmatched;
	uint64_t reused; /* blocks that were allocated again without a free */
};

/* `source` says which processes have ended, and outlives it; NULL: none does. */
void device_memory_init(struct device_memory *memory, enum device_rows by,
			const struct source *source);
void device_memory_release(struct device_memory *memory);
/* After the last call, before device_memory_at_peak(). */
void device_memory_finish(struct device_memory *memory);
/* What the row held when all device memory was at its peak. */
uint64_t device_memory_at_peak(const struct device_memory *memory, uint32_t row);
/* Calls that succeeded. */
void device_memory_allocate(struct device_memory *memory, const struct device_op *op);
void device_memory_free(struct device_memory *memory, const struct device_op *op);

/* The kind of an event; what a newer version or nobody knows is EVT_CUDA_ANY. */
static inline uint64_t device_kind_of_event(uint64_t kind)
{
	return kind < EVT_CUDA_MEMORY_LIMIT ? kind : EVT_CUDA_ANY;
}

/* Whether the kind is on the host. */
static inline bool device_kind_is_host(uint64_t kind)
{
	return kind == EVT_CUDA_PINNED || kind == EVT_CUDA_REGISTERED || kind == HOST_PAGEABLE;
}

#endif
