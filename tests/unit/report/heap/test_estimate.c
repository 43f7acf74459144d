/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/heap/estimate.c: sums of sampled stacks over recordings in memory, beside counts that stay
 * exact.
 */
#include "report/options/keys.h"
#include "report/heap/heap_events.h"
#include "report/heap/stack_sums.h"
#include "tests/unit/cuda_recording.h"
#include "tests/unit/recording_source.h"

/* So that one block of SIZE in four is drawn: 1 - exp(-SIZE / EVERY) = 1 / 4. */
#define SIZE 28768207ull
#define EVERY "100000000"
#define FOURS 25u

static struct cuda_recording c;
static struct source *source;
static struct run *run;
static struct heap *heap;
static struct stack_rows rows;
static struct stack_sums sums;

static const struct filter_settings plain = { .pid = FILTER_NO_ID,
					      .tid = FILTER_NO_ID,
					      .to_ns = UINT64_MAX };

static void put_name(uint64_t id, const char *text)
{
	FRAME_PUT(c.r.fw, 0, string, .id = id, .text = { (uintptr_t)text, strlen(text) });
}

/* Process 1 has samples, process 2 all stacks. */
static void start(const char *every)
{
	cuda_recording_start(&c, 2);
	frame_begin_block(c.r.fw, 0);
	put_name(1, "stacks_every");
	put_name(2, every);
	FRAME_PUT(c.r.fw, 0, meta, .process = 1, .key = 1, .value = 2);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 1);
}

static uint64_t stack_of(uint64_t outer, uint64_t inner)
{
	return recording_stack_of(&c.r, (const uint64_t[]){ outer, inner }, 2);
}

/* `stack` 0: not drawn, so that the caller is known only. */
static void born(uint64_t time_ns, uint64_t address, uint64_t size, uint64_t stack)
{
	const struct evt_malloc fields = { .ptr = address, .size = size, .caller = 0x20 };

	if (stack)
		frame_put_stack(c.r.fw, EVT_malloc, time_ns, (const uint64_t *)&fields, stack);
	else
		frame_put(c.r.fw, EVT_malloc, time_ns, (const uint64_t *)&fields);
}

static void dies(uint64_t time_ns, uint64_t address)
{
	FRAME_PUT(c.r.fw, time_ns, free, .ptr = address);
}

static void read_all(const struct filter_settings *settings, enum heap_of of)
{
	frame_end_block(c.r.fw);
	recording_close_frame(&c.r, 1000000);
	recording_finish(&c.r, 1000000);
	source = recording_source(&c.r);
	run = run_new(source, settings);
	heap = heap_want(run, &(struct heap_options){ .by = BY_alloc_stack, .of = of });
	run_read(run, false);
	stack_rows_init(&rows, source, NULL, STACK_BY_STACK, STACK_COLUMNS_NONE);
	sums = (struct stack_sums){ .count = 0 };
	stack_sums_estimate(&sums, heap);
	stack_sums_make(&sums, heap, source, &rows, WEIGHT_BYTES);
}

static void release(void)
{
	stack_sums_release(&sums);
	stack_rows_release(&rows);
	run_free(run);
	source_close(source);
	cuda_recording_release(&c);
}

/* One of four was drawn, and half of the blocks are freed: those that were drawn, too. */
static void put_quarter(void)
{
	uint64_t stack = stack_of(0x10, 0x20);

	for (uint64_t i = 0; i < 4 * FOURS; i++)
		born(10 + i, 0x1000 + 16 * i, SIZE, i % 4 ? 0 : stack);
	for (uint64_t i = 0; i < 2 * FOURS; i++)
		dies(1000 + i, 0x1000 + 16 * i);
}

/* Where a quarter was drawn of what is drawn by a chance of a quarter, estimates are the counts. */
static void expect_all(const struct heap_estimate *estimate)
{
	uint64_t of_100 = 4 * FOURS, live = 4 * FOURS - 4 * ((2 * FOURS + 3) / 4);

	assert_int_equal(estimate_whole(estimate->all.allocations), of_100);
	assert_in_range(estimate_whole(estimate->all.bytes), of_100 * SIZE - 100,
			of_100 * SIZE + 100);
	assert_int_equal(estimate_whole(estimate->peak.allocations), of_100);
	assert_int_equal(estimate_whole(estimate->live.allocations), live);
	assert_int_equal(estimate_whole(estimate->kept.allocations), live);
}

TEST(a_sample_stands_for_all)
{
	struct stack_sum sum;

	start(EVERY);
	put_quarter();
	read_all(&plain, HEAP_OF_C);
	assert_int_equal(sums.count, 1); /* no row of callers */
	sum = stack_sums_get(&sums, 0);
	expect_all(&sum.estimate);
	/* counts stay what was recorded */
	assert_int_equal(sum.row.allocations, FOURS);
	assert_int_equal(heap->totals.allocations, 4 * FOURS);
	assert_int_equal(heap->totals.bytes_allocated, 4 * FOURS * SIZE);
	assert_int_equal(heap->totals.live_allocations, 2 * FOURS);
	release();
}

/* By events, not by runs of records. */
TEST(filters_give_the_same)
{
	struct filter_settings settings = plain;
	struct stack_sum sum;

	settings.pid = 100;
	start(EVERY);
	put_quarter();
	read_all(&settings, HEAP_OF_C);
	assert_int_equal(sums.count, 1);
	sum = stack_sums_get(&sums, 0);
	expect_all(&sum.estimate);
	release();
}

TEST(processes_with_all_stacks_count_fully)
{
	struct stack_sum sum;

	start(EVERY);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 3);
	born(1, 0x9000, 77, stack_of(0x10, 0x20)); /* before the first sample */
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 1);
	put_quarter();
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 3);
	born(5000, 0x9100, 23, stack_of(0x10, 0x20));
	read_all(&plain, HEAP_OF_C);
	assert_int_equal(sums.count, 1);
	sum = stack_sums_get(&sums, 0);
	assert_int_equal(estimate_whole(sum.estimate.all.allocations), 4 * FOURS + 2);
	assert_in_range(estimate_whole(sum.estimate.all.bytes), 4 * FOURS * SIZE,
			4 * FOURS * SIZE + 200);
	release();
}

/* Nothing was drawn: what is known are callers, and they are counted. */
TEST(without_a_sample_all_are_counts)
{
	start(EVERY);
	born(1, 0x9000, 77, 0);
	read_all(&plain, HEAP_OF_C);
	assert_null(heap->estimate);
	assert_int_equal(sums.count, 1);
	assert_int_equal(stack_sums_get(&sums, 0).row.bytes_allocated, 77);
	release();
}

/* A number that no recording of ours has: nothing is estimated by it. */
TEST(nonsense_is_no_sample)
{
	static const char *const words[] = { "0", "-1", "x", "", "99999999999", "5000000000" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		start(words[i]);
		put_quarter();
		read_all(&plain, HEAP_OF_C);
		assert_null(heap->estimate);
		release();
	}
}
