/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the heap share: heap.c (one operation after the other) and heap_records.c (runs
 * of records). Not for others.
 */
#ifndef REPORT_HEAP_HEAP_STATE_H
#define REPORT_HEAP_HEAP_STATE_H

#include "report/base/memory.h"
#include "report/base/pages.h"
#include "report/base/recents.h"
#include "report/heap/heap.h"

#define ROW_OUTSIDE UINT32_MAX /* of a block whose allocation does not count */
#define SIZE_LARGE UINT32_MAX  /* the size is in heap_process.large */

/* 16 KiB for each process, for short-lived blocks that are live at one time */
#define YOUNG_BITS 10u

/* A short-lived block; address 0: none. */
struct heap_young {
	uint64_t address;
	uint32_t row, size;
};

struct heap_process {
	struct heap_young *young; /* NULL before the first */
	uint32_t index;
	bool distrusts; /* short-lived blocks are no longer treated separately */
	/* before the next lookup: modules come by dozens, and callers are forgotten once */
	bool forgets_callers;
	/*
	 * how often it was left; if it was, only windows of its events are recorded: heap_leave()
	 */
	uint32_t left;
	bool is_done; /* rows have kept what was live when the program had finished */
	uint64_t live_bytes;
	uint64_t site_frame; /* to which `site_row` applies; 0: to none */
	uint32_t *site_row;  /* row + 1 of each site that occurred */
	size_t site_room;
	struct map blocks;   /* address to row << 32 | size */
	struct map large;    /* address to size */
	struct map sampled;  /* address to `every`, of blocks of a sample */
	struct map callers;  /* address to row; not by stack */
	struct pages stacks; /* by stack: row + 1 */
	struct recents frees, displaced;
	uint32_t *changed; /* rows, see heap_take_changes() */
	size_t changed_count, changed_room;
	uint32_t changes; /* how often they were taken */
	struct heap_process *next_ended;
	uint64_t ended_ns;
};

struct heap_undo {
	uint64_t address, size;
	uint32_t row;
	bool counts, matched, temporary;
	uint64_t every; /* as in struct heap_op */
};

struct heap_thread {
	/* the address that the thread's last heap event allocated, otherwise 0 */
	uint64_t last_allocated;
	/* of a process that was left: row + 1 of that block, 0: none; and in which window it was */
	uint32_t last_row, last_window;
	struct heap_undo undo; /* of its last realloc_free */
};

struct heap_process *heap_add_process(struct heap *heap, uint32_t index);
uint32_t heap_row_of(struct heap *heap, struct heap_process *process, const struct heap_op *op);
/* For an allocation of an address that is live: afterwards the entry is that of the new block. */
void heap_displace(struct heap *heap, struct heap_process *process, struct map_entry *block,
		   const struct heap_op *op);
/* `row`, for an allocation: 1 + its row; 0: to be looked up. */
void heap_apply(struct heap *heap, const struct heap_op *op, uint32_t row);
/* To be called before what comes at time_ns, which is not before layers_due_ns. */
void heap_look_layers(struct heap *heap, uint64_t time_ns);
/* Returns the block that is live at the address, except short-lived ones; NULL: none. */
struct map_entry *heap_find_block(struct heap_process *process, uint64_t address);
/* Applies what is in the queue. */
void heap_drain(struct heap *heap);

static inline struct heap_process *heap_process_at(struct heap *heap, uint32_t index)
{
	if (index < heap->process_room && heap->process[index])
		return heap->process[index];
	return heap_add_process(heap, index);
}

static inline struct heap_thread *heap_thread_at(struct heap *heap, uint32_t index)
{
	if (index >= heap->thread_room)
		heap->thread = memory_room(heap->thread, index, &heap->thread_room,
					   sizeof(struct heap_thread));
	return &heap->thread[index];
}

/* With keeps_changes: the row's live bytes are about to change. */
void heap_note_change(struct heap *heap, struct heap_process *process, uint32_t row);

/* Must come before a row's live bytes change: keeps what they were at the last peak. */
static inline void heap_row_keep_peak(const struct heap *heap, struct heap_row *row)
{
	if (row->peak_seen != heap->peak_number) {
		row->peak_seen = heap->peak_number;
		row->peak_bytes = row->live_bytes;
		row->peak_allocations = row->live_allocations;
		row->peak_variance = row->live_variance;
		row->peak_fraction = row->live_fraction;
	}
}

/* After live bytes have grown. */
static inline bool heap_note_peak(struct heap *heap, uint64_t time_ns)
{
	struct heap_totals *totals = &heap->totals;

	if (totals->live_bytes <= totals->peak_bytes)
		return false;
	totals->peak_bytes = totals->live_bytes;
	totals->peak_time_ns = time_ns;
	totals->peak_allocations = totals->live_allocations;
	totals->peak_variance = totals->live_variance;
	totals->peak_fraction = totals->live_fraction;
	heap->peak_number++;
	return true;
}

/* sampled.c: the same with what an allocation of a sample stands for. */
void sampled_count(struct heap *heap, uint32_t row, const struct heap_op *op);
/*
 * At the end: rows get what their fractions add up to, so that their numbers of blocks are together
 * those of the heap.
 */
void sampled_settle(struct heap *heap);

/* Counts an allocation in its row, but not in the totals. */
static inline void heap_count_row(struct heap *heap, uint32_t row_number, uint64_t size,
				  uint64_t time_ns)
{
	struct heap_row *row = &heap->row[row_number];
	unsigned int class = size_class(size);

	row->allocations++;
	row->latest_ns = time_ns;
	row->bytes_allocated += size;
	heap->class_allocations[class]++;
	heap->class_bytes[class] += size;
}

static inline void heap_count_allocation(struct heap *heap, uint32_t row_number,
					 const struct heap_op *op)
{
	if (__builtin_expect(op->every != 0, 0)) {
		sampled_count(heap, row_number, op);
		return;
	}
	heap_count_row(heap, row_number, op->size, op->time_ns);
	if (__builtin_expect(heap->estimate != NULL, 0))
		estimate_count(heap, row_number, op->size);
	heap->totals.allocations++;
	heap->totals.bytes_allocated += op->size;
}

#endif
