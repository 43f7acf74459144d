/* SPDX-License-Identifier: MIT */
/*
 * Memory that CUDA allocated, of all processes over time: which blocks are live, by device, by kind
 * and by a key.
 *
 * A block is identified by process and address; arrays and virtual memory, which are identified by
 * handles, are numbered separately. A call is read when it returns, but a block is gone when the
 * call that frees it begins. So if an address that is live is allocated again, the old block is
 * being freed by a call that has not returned yet; that call's event then frees nothing. A free of
 * an unknown block is counted as unmatched. A forked child starts with no blocks, because it has a
 * new process number. A process that has ended holds nothing, even if it did not free its blocks:
 * for peaks they are no longer live, but they are in `left`.
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

/* Kinds that only CUPTI reports: memory of modules, and host memory that is not pinned. */
#define DEVICE_VARIABLES EVT_CUDA_MEMORY_LIMIT
#define HOST_PAGEABLE (EVT_CUDA_MEMORY_LIMIT + 1)
#define DEVICE_KINDS (EVT_CUDA_MEMORY_LIMIT + 2)
#define DISPLACED_MAX 64 /* frees that may be under way at one time */

struct device_op {
	uint64_t time_ns, begin_ns; /* of the return and of the call */
	uint64_t address, bytes, kind;
	int64_t device;
	uint32_t process;
	const struct source_process *holder; /* the process; NULL, as in tests: it never ends */
	uint64_t key;                        /* of --by; 0: none */
	bool counts; /* the filters hold; an allocation that does not count is only remembered */
};

/*
 * What the rows are by: device and kind; device, kind and a key; or device, with host memory in one
 * row.
 */
enum device_rows { DEVICE_BY_KIND, DEVICE_BY_KEY, DEVICE_BY_DEVICE };

struct device_row {
	int64_t device; /* -1: unknown */
	/*
	 * enum evt_cuda_memory, or one of CUPTI's kinds; for rows by device, that of the first
	 * block
	 */
	uint64_t kind;
	uint64_t key; /* of the first block */
	uint64_t allocations, frees, bytes_allocated;
	uint64_t left; /* bytes that were never freed */
	struct highwater live;
};

struct device_memory {
	enum device_rows by;
	bool has_addresses_only; /* arrays and virtual memory are identified by address, too */
	struct device_row *row;
	size_t row_count, row_room;
	struct map rows; /* hash of device, kind and key to row */
	struct device_block *block;
	size_t block_count, block_room;
	uint32_t unused;   /* list of free entries of `block` */
	struct map blocks; /* hash of the identity to index */
	struct map lists;  /* hash of process and device to the first block that a reset frees */
	struct device_displaced {
		uint64_t identity, born_ns, time_ns, bytes; /* identity 0: not in use */
		uint32_t row, holding;
	} displaced[DISPLACED_MAX];
	unsigned int displaced_next;
	struct highwater device, host; /* all device kinds together, and all host kinds */
	uint64_t device_left, host_left;
	struct holdings holdings; /* of rows */
	struct ledger ledger;     /* the rows at the peak of `device` */
	uint64_t frees_unmatched;
	uint64_t reused; /* blocks that were allocated again without a free */
};

/* `source` knows which processes have ended, and must outlive `memory`; NULL: no process ends. */
void device_memory_init(struct device_memory *memory, enum device_rows by,
			const struct source *source);
void device_memory_release(struct device_memory *memory);
/* To be called after the last call and before device_memory_at_peak(). */
void device_memory_finish(struct device_memory *memory);
/* Returns what the row held when device memory as a whole was at its peak. */
uint64_t device_memory_at_peak(const struct device_memory *memory, uint32_t row);
/* For calls that succeeded. */
void device_memory_allocate(struct device_memory *memory, const struct device_op *op);
void device_memory_free(struct device_memory *memory, const struct device_op *op);

/* Returns the kind of an event; EVT_CUDA_ANY for a kind of a newer version or an unknown one. */
static inline uint64_t device_kind_of_event(uint64_t kind)
{
	return kind < EVT_CUDA_MEMORY_LIMIT ? kind : EVT_CUDA_ANY;
}

/* Returns whether memory of the kind is on the host. */
static inline bool device_kind_is_host(uint64_t kind)
{
	return kind == EVT_CUDA_PINNED || kind == EVT_CUDA_REGISTERED || kind == HOST_PAGEABLE;
}

#endif
