/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * report/heap/heap.c: exact counts of live blocks, peaks, temporaries, and events in the wrong
 * order.
 */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "report/heap/heap.h"

static void allocate(struct heap *heap, uint64_t time_ns, uint32_t process, uint32_t thread,
		     uint64_t address, uint64_t size)
{
	heap_take(heap, &(struct heap_op){ time_ns, address, size,
					   heap->by == HEAP_BY_KEY ? thread : 0x1000, process,
					   thread, HEAP_ALLOCATION, true, false, 0 });
}

static void release(struct heap *heap, uint64_t time_ns, uint32_t process, uint32_t thread,
		    uint64_t address)
{
	heap_take(heap, &(struct heap_op){ time_ns, address, 0, 0, process, thread, HEAP_FREE, true,
					   false, 0 });
}

TEST(counts_bytes_peak_and_live_blocks)
{
	struct heap heap;

	heap_init(&heap, HEAP_BY_CALLER);
	allocate(&heap, 100, 0, 0, 0x10, 1000);
	allocate(&heap, 200, 0, 0, 0x20, 24);
	release(&heap, 300, 0, 0, 0x10);
	allocate(&heap, 400, 0, 0, 0x30, 0);
	heap_finish(&heap);
	assert_int_equal(heap.totals.allocations, 3);
	assert_int_equal(heap.totals.bytes_allocated, 1024);
	assert_int_equal(heap.totals.frees, 1);
	assert_int_equal(heap.totals.bytes_freed, 1000);
	assert_int_equal(heap.totals.live_allocations, 2);
	assert_int_equal(heap.totals.live_bytes, 24);
	assert_int_equal(heap.totals.peak_bytes, 1024);
	assert_int_equal(heap.totals.peak_time_ns, 200);
	assert_int_equal(heap.totals.temporary_allocations, 0);
	assert_int_equal(heap.row_count, 1);
	assert_int_equal(heap.row[0].peak_bytes, 1024);
	heap_release(&heap);
}

TEST(temporary_is_freed_by_the_threads_next_event)
{
	struct heap heap;

	heap_init(&heap, HEAP_BY_KEY);
	allocate(&heap, 100, 0, 0, 0x10, 8);
	allocate(&heap, 5000, 0, 1, 0x20, 8); /* another thread's event lies between */
	release(&heap, 10000, 0, 0, 0x10);
	release(&heap, 20000, 0, 0, 0x20); /* freed by another thread: not temporary */
	allocate(&heap, 30000, 0, 0, 0x30, 8);
	allocate(&heap, 30001, 0, 0, 0x40, 8);
	release(&heap, 30002, 0, 0, 0x30);
	heap_finish(&heap);
	assert_int_equal(heap.totals.temporary_allocations, 1);
	assert_int_equal(heap.row[0].temporary_allocations, 1);
	assert_int_equal(heap.row[1].temporary_allocations, 0);
	heap_release(&heap);
}

TEST(frees_of_unknown_blocks_are_unmatched)
{
	struct heap heap;

	heap_init(&heap, HEAP_BY_KEY);
	allocate(&heap, 100, 0, 0, 0x10, 8);
	release(&heap, 200, 1, 5, 0x10); /* a forked child frees its parent's block */
	release(&heap, 300, 0, 0, 0x999);
	heap_finish(&heap);
	assert_int_equal(heap.totals.frees, 0);
	assert_int_equal(heap.totals.frees_unmatched, 2);
	assert_int_equal(heap.totals.live_allocations, 1);
	heap_release(&heap);
}

TEST(peak_is_of_the_sum_over_processes)
{
	struct heap heap;

	heap_init(&heap, HEAP_BY_KEY);
	allocate(&heap, 100, 0, 0, 0x10, 100);
	allocate(&heap, 200, 1, 1, 0x10, 50);
	release(&heap, 300, 0, 0, 0x10);
	allocate(&heap, 400, 1, 1, 0x20, 60);
	heap_finish(&heap);
	assert_int_equal(heap.totals.peak_bytes, 150);
	assert_int_equal(heap.totals.peak_time_ns, 200);
	assert_int_equal(heap.row[0].peak_bytes, 100);
	assert_int_equal(heap.row[1].peak_bytes, 50);
	assert_int_equal(heap.row[1].live_bytes, 110);
	heap_release(&heap);
}

TEST(free_before_its_allocation_within_a_microsecond_matches)
{
	struct heap heap;

	heap_init(&heap, HEAP_BY_CALLER);
	release(&heap, 1000, 0, 1, 0x10);
	allocate(&heap, 1900, 0, 0, 0x10, 32);
	release(&heap, 5000, 0, 1, 0x20);
	allocate(&heap, 6001, 0, 0, 0x20, 32); /* too late */
	release(&heap, 9000, 0, 0, 0x30);
	allocate(&heap, 9001, 0, 0, 0x30, 32); /* the same thread's order is true */
	heap_finish(&heap);
	assert_int_equal(heap.totals.frees, 1);
	assert_int_equal(heap.totals.bytes_freed, 32);
	assert_int_equal(heap.totals.frees_unmatched, 2);
	assert_int_equal(heap.totals.live_allocations, 2);
	heap_release(&heap);
}

TEST(allocation_before_the_free_of_its_address_is_put_right)
{
	struct heap heap;

	heap_init(&heap, HEAP_BY_CALLER);
	allocate(&heap, 100, 0, 0, 0x10, 10);
	allocate(&heap, 5000, 0, 1, 0x10, 20); /* thread 0's free is on its way */
	release(&heap, 5600, 0, 0, 0x10);
	heap_finish(&heap);
	assert_int_equal(heap.totals.reused, 0);
	assert_int_equal(heap.totals.frees, 1);
	assert_int_equal(heap.totals.bytes_freed, 10);
	assert_int_equal(heap.totals.live_bytes, 20);
	heap_release(&heap);
}

TEST(allocation_of_a_live_address_ends_the_old_block)
{
	struct heap heap;

	heap_init(&heap, HEAP_BY_CALLER);
	allocate(&heap, 100, 0, 0, 0x10, 10);
	allocate(&heap, 5000, 0, 0, 0x10, 20);
	release(&heap, 90000, 0, 0, 0x10);
	heap_finish(&heap);
	assert_int_equal(heap.totals.reused, 1);
	assert_int_equal(heap.totals.frees, 1);
	assert_int_equal(heap.totals.bytes_freed, 20);
	assert_int_equal(heap.totals.live_allocations, 0);
	assert_int_equal(heap.totals.live_bytes, 0);
	heap_release(&heap);
}

TEST(failed_realloc_gives_the_block_back)
{
	struct heap_op op = { 200, 0x10, 0, 0, 0, 0, HEAP_REALLOC_FREE, true, false, 0 };
	struct heap heap;

	heap_init(&heap, HEAP_BY_CALLER);
	allocate(&heap, 100, 0, 0, 0x10, 10);
	heap_take(&heap, &op);
	op.kind = HEAP_REALLOC_FAILED;
	heap_take(&heap, &op);
	heap_take(&heap, &op); /* a second one has nothing to restore */
	heap_finish(&heap);
	assert_int_equal(heap.totals.frees, 0);
	assert_int_equal(heap.totals.bytes_freed, 0);
	assert_int_equal(heap.totals.temporary_allocations, 0);
	assert_int_equal(heap.totals.live_bytes, 10);
	assert_int_equal(heap.row[0].temporary_allocations, 0);
	release(&heap, 300, 0, 0, 0x10);
	heap_finish(&heap);
	assert_int_equal(heap.totals.live_bytes, 0);
	assert_int_equal(heap.totals.temporary_allocations, 0);
	heap_release(&heap);
}

TEST(blocks_of_four_gib_keep_their_size)
{
	struct heap heap;

	heap_init(&heap, HEAP_BY_SIZE);
	allocate(&heap, 100, 0, 0, 0x10, 5ull << 32);
	allocate(&heap, 200, 0, 0, 0x20, UINT32_MAX);
	release(&heap, 300, 0, 0, 0x10);
	release(&heap, 400, 0, 0, 0x20);
	heap_finish(&heap);
	assert_true(heap.totals.bytes_freed == (5ull << 32) + UINT32_MAX);
	assert_int_equal(heap.totals.live_bytes, 0);
	heap_release(&heap);
}

TEST(uncounted_blocks_are_followed_but_not_counted)
{
	struct heap_op op = { 100, 0x10, 64, 0x1000, 0, 0, HEAP_ALLOCATION, false, false, 0 };
	struct heap heap;

	heap_init(&heap, HEAP_BY_CALLER);
	heap_take(&heap, &op);
	release(&heap, 200, 0, 0, 0x10);
	allocate(&heap, 300, 0, 0, 0x20, 8);
	op = (struct heap_op){ 400, 0x20, 0, 0, 0, 0, HEAP_FREE, false, false, 0 };
	heap_take(&heap, &op);
	heap_finish(&heap);
	assert_int_equal(heap.totals.allocations, 1);
	assert_int_equal(heap.totals.frees, 1);
	assert_int_equal(heap.totals.frees_unmatched, 0);
	assert_int_equal(heap.totals.live_bytes, 0);
	heap_release(&heap);
}

/* Against a plain array as the truth: a million random events. */
TEST(agrees_with_a_simple_model)
{
	enum { BLOCKS = 5000 };
	static uint64_t size[BLOCKS];
	uint64_t seed = 42, live = 0, peak = 0, blocks = 0;
	struct heap heap;

	heap_init(&heap, HEAP_BY_CALLER);
	for (uint64_t i = 0; i < 1000000; i++) {
		uint64_t at, address;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		at = (seed >> 33) % BLOCKS;
		address = 0x7f0000000000ull + at * 48;
		if (size[at]) {
			release(&heap, i * 2000, 0, 0, address);
			live -= size[at];
			size[at] = 0;
			blocks--;
		} else {
			size[at] = 1 + (seed >> 20) % 9999;
			allocate(&heap, i * 2000, 0, 0, address, size[at]);
			live += size[at];
			blocks++;
		}
		peak = live > peak ? live : peak;
	}
	heap_finish(&heap);
	assert_int_equal(heap.totals.live_bytes, live);
	assert_int_equal(heap.totals.live_allocations, blocks);
	assert_int_equal(heap.totals.peak_bytes, peak);
	assert_int_equal(heap.totals.frees_unmatched, 0);
	assert_int_equal(heap.row[0].live_bytes, live);
	heap_release(&heap);
}

TEST(classes_are_powers_of_two)
{
	assert_int_equal(size_class_top(size_class(0)), 0);
	assert_int_equal(size_class_top(size_class(1)), 1);
	assert_int_equal(size_class_top(size_class(2)), 2);
	assert_int_equal(size_class_top(size_class(3)), 4);
	assert_int_equal(size_class_top(size_class(1024)), 1024);
	assert_int_equal(size_class_top(size_class(1025)), 2048);
	assert_int_equal(size_class(UINT64_MAX), SIZE_CLASSES - 1);
}

TEST(curve_keeps_the_greatest_values)
{
	static struct curve curve;
	uint64_t values[4];

	curve_init(&curve);
	for (uint64_t t = 0; t < 1000; t++)
		curve_put(&curve, t * 1000000, t == 300 ? 5000 : t);
	curve_sample(&curve, 1000000000, values, 4);
	assert_in_range(values[0], 249, 252);
	assert_int_equal(values[1], 5000);
	assert_in_range(values[3], 997, 999);
}

/* A random event of a consistent run: two threads, each may free what the other has got. */
static struct heap_op random_op(uint64_t *seed, bool *live, uint64_t time_ns)
{
	uint64_t random = (*seed = *seed * 6364136223846793005ull + 1442695040888963407ull) >> 33;
	unsigned int block = random % 300;
	struct heap_op op = {
		time_ns,          0x1000 + 16 * block, random % 999,     0x4000 + random % 7, 0,
		random >> 20 & 1, HEAP_ALLOCATION,     random % 11 != 0, random >> 21 & 1,    0
	};

	if (live[block])
		op = (struct heap_op){ time_ns,
				       op.address,
				       0,
				       0,
				       0,
				       op.thread,
				       random % 5 ? HEAP_FREE : HEAP_REALLOC_FREE,
				       op.counts,
				       false,
				       0 };
	live[block] = !live[block];
	return op;
}

/*
 * Whichever blocks are said to be brief, and whether or not that comes true, the numbers are the
 * same.
 */
TEST(brief_blocks_count_as_others)
{
	struct heap with, without;
	bool live[300] = { false };
	uint64_t seed = 7;

	heap_init(&with, HEAP_BY_CALLER);
	heap_init(&without, HEAP_BY_CALLER);
	for (uint64_t i = 0; i < 200000; i++) {
		struct heap_op op = random_op(&seed, live, i * 10);

		if (i == 150000)
			heap_distrust(&with, 0);
		heap_take(&with, &op);
		op.brief = false;
		heap_take(&without, &op);
		if (op.kind != HEAP_REALLOC_FREE || i % 3)
			continue;
		op.kind = HEAP_REALLOC_FAILED;
		live[(op.address - 0x1000) / 16] = true;
		heap_take(&with, &op);
		heap_take(&without, &op);
	}
	heap_finish(&with);
	heap_finish(&without);
	assert_memory_equal(&with.totals, &without.totals, sizeof(with.totals));
	assert_int_equal(with.totals.frees_unmatched, 0);
	assert_int_equal(with.row_count, without.row_count);
	for (size_t i = 0; i < with.row_count; i++)
		assert_memory_equal(&with.row[i], &without.row[i], sizeof(with.row[i]));
	heap_release(&with);
	heap_release(&without);
}

/*
 * Of a process whose program was done what lived then was kept; of another one what lived at its
 * end.
 */
TEST(what_lived_when_the_program_was_done_was_kept)
{
	struct heap heap;
	struct heap_op brief = { 350, 0x60, 7, 0x1000, 0, 0, HEAP_ALLOCATION, true, true, 0 };

	heap_init(&heap, HEAP_BY_CALLER);
	allocate(&heap, 100, 0, 0, 0x10, 1000);
	allocate(&heap, 200, 0, 0, 0x20, 24);
	allocate(&heap, 210, 0, 0, 0x30, 1ull << 33);
	allocate(&heap, 220, 1, 1, 0x10, 300);
	allocate(&heap, 230, 1, 1, 0x20, 400);
	release(&heap, 300, 0, 0, 0x20);
	heap_take(&heap, &brief);
	assert_int_equal(heap_live_bytes_of(&heap, 0), 1007 + (1ull << 33));
	heap_end_program(&heap, 0);
	heap_end_program(&heap, 7); /* of which nothing is known */
	release(&heap, 400, 0, 0, 0x10);
	release(&heap, 410, 0, 0, 0x60);
	allocate(&heap, 420, 0, 0, 0x70, 50); /* by the interpreter, while it ends */
	release(&heap, 430, 1, 1, 0x20);
	heap_end_program(&heap, 0); /* once is enough */
	heap_finish(&heap);
	assert_true(heap.has_ends);
	assert_int_equal(heap.totals.kept_allocations, 4);
	assert_int_equal(heap.totals.kept_bytes, 1307 + (1ull << 33));
	assert_int_equal(heap.totals.live_allocations, 3);
	assert_int_equal(heap.totals.live_bytes, 350 + (1ull << 33));
	assert_int_equal(heap.totals.frees, 4);
	assert_int_equal(heap.row[0].kept_bytes, 1007 + (1ull << 33));
	assert_int_equal(heap.row[1].kept_bytes, 300);
	assert_int_equal(heap_live_bytes_of(&heap, 1), 300);
	assert_int_equal(heap_live_bytes_of(&heap, 9), 0);
	heap_release(&heap);
}

/* Nobody says that a process frees what it has as it ends, and it holds nothing after that. */
TEST(peak_is_not_of_processes_that_have_ended)
{
	struct heap heap;
	const struct layers *layers;

	heap_init(&heap, HEAP_BY_KEY);
	heap_keep_layers(&heap);
	allocate(&heap, 100, 0, 0, 0x10, 60);
	allocate(&heap, 110, 0, 1, 0x20, 1ull << 33);
	heap_take(&heap,
		  &(struct heap_op){ 120, 0x30, 40, 0, 0, 0, HEAP_ALLOCATION, true, true, 0 });
	heap_take(&heap,
		  &(struct heap_op){ 121, 0x50, 999, 0, 0, 0, HEAP_ALLOCATION, false, false, 0 });
	release(&heap, 130, 0, 1, 0x20);
	heap_end_process(&heap, 7, 140); /* nobody */
	heap_end_process(&heap, 0, 200);
	heap_end_process(&heap, 0, 201);
	assert_int_equal(heap_live_bytes(&heap), 0);
	assert_int_equal(heap_live_bytes_of(&heap, 0), 100);
	assert_int_equal(heap_live_bytes_of(&heap, 7), 0);
	release(&heap, 210, 0, 0, 0x10); /* told late: of a block that nobody knows */
	allocate(&heap, 300, 1, 0, 0x10, 1ull << 34);
	heap_finish(&heap);
	assert_int_equal(heap.totals.peak_bytes, 1ull << 34);
	assert_int_equal(heap.totals.peak_time_ns, 300);
	assert_int_equal(heap.totals.peak_allocations, 1);
	assert_int_equal(heap.row[0].peak_bytes, 1ull << 34);
	assert_int_equal(heap.row[0].peak_allocations, 1);
	/* what was never freed is counted, whoever has ended */
	assert_int_equal(heap.totals.live_bytes, (1ull << 34) + 100);
	assert_int_equal(heap.totals.live_allocations, 3);
	assert_int_equal(heap.row[0].live_bytes, (1ull << 34) + 100);
	assert_int_equal(heap.totals.kept_bytes, (1ull << 34) + 100);
	assert_int_equal(heap.totals.frees_unmatched, 1);
	layers = heap_end_layers(&heap, 400);
	assert_int_equal(layers->moment[layers->count - 1].part[0].value, 1ull << 34);
	assert_int_equal(layers->moment[layers->count - 1].all, 1ull << 34);
	heap_release(&heap);
}

TEST(what_a_process_had_at_its_end_was_kept)
{
	struct heap heap;

	heap_init(&heap, HEAP_BY_CALLER);
	allocate(&heap, 100, 0, 0, 0x10, 60);
	heap_end_process(&heap, 0, 200); /* killed: it was not told when its program was done */
	allocate(&heap, 300, 1, 0, 0x10, 7);
	heap_end_program(&heap, 1);
	heap_end_process(&heap, 1, 400);
	heap_finish(&heap);
	assert_int_equal(heap.totals.kept_bytes, 67);
	assert_int_equal(heap.totals.live_bytes, 67);
	assert_int_equal(heap.totals.peak_bytes, 60);
	heap_release(&heap);
}
