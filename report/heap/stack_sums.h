/* SPDX-License-Identifier: MIT */
/*
 * The rows of a heap by stack, put together by what a report's rows are: stacks, functions, lines
 * or modules. What is kept and what was there at the peak add up to the heap's own totals unless
 * --filter leaves stacks out.
 */
#ifndef REPORT_HEAP_STACK_SUMS_H
#define REPORT_HEAP_STACK_SUMS_H

#include "report/heap/heap.h"
#include "report/stacks/stack_rows.h"

struct stack_sum {
	struct heap_row row;           /* of all of it; key, process and times mean nothing */
	uint64_t first_ns, latest_ns;  /* of its allocations */
	struct heap_estimate estimate; /* where these are asked for */
};

/*
 * Most stacks are one row of the heap: only what is put together of several takes memory of its
 * own.
 */
struct stack_sums {
	const struct heap *heap;
	bool is_estimated; /* rows without a stack are left out where others stand for them */
	uint32_t *
		/*
		 * by place of stack_rows: a row of the heap, or STACK_SUM_JOINED | one of `joined`
		 */
		at;
	size_t count;
	struct stack_sum *joined;
	size_t joined_count, joined_room;
	bool keeps_places; /* somebody wants `place` */
	size_t *place;     /* of each row of the heap; STACK_LEFT_OUT: none */
};

#define STACK_SUM_JOINED 0x80000000u

/* What of a row says which stack weighs most. */
enum stack_weight { WEIGHT_BYTES, WEIGHT_KEPT, WEIGHT_PEAK };

/* After heap_finish(). All zeros is empty. */
/* stack_sums_estimate(): before stack_sums_make(), where estimates are shown if there are any. */
void stack_sums_estimate(struct stack_sums *sums, const struct heap *heap);
void stack_sums_make(struct stack_sums *sums, const struct heap *heap, struct source *source,
		     struct stack_rows *rows, enum stack_weight weight);
struct stack_sum stack_sums_get(const struct stack_sums *sums, size_t place);
void stack_sums_release(struct stack_sums *sums);

/* Adds the counters of a row to another. */
/* Bytes of the row. */
uint64_t heap_row_weight(const struct heap_row *row, enum stack_weight weight);
void heap_row_join(struct heap_row *into, const struct heap_row *from);

#endif
