/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * report/ranges/ranges.c, report/base/histogram.c: nesting, self time, domains, what stays open,
 * percentiles.
 */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "report/ranges/ranges.h"

enum { A = 1, B, C }; /* names */

static void push(struct ranges *ranges, uint64_t time_ns, uint32_t thread, uint32_t domain,
		 uint32_t name)
{
	ranges_push(ranges, &(struct range_opening){
				    time_ns, thread, 0, domain, name, 0, { 0 }, true, NULL });
}

static void pop(struct ranges *ranges, uint64_t time_ns, uint32_t thread, uint32_t domain)
{
	ranges_pop(ranges, &(struct range_closing){ time_ns, thread, 0, domain, 0, { 0 }, NULL });
}

static const struct range_row *row_of(const struct ranges *ranges, uint32_t name)
{
	for (size_t i = 0; i < ranges->row_count; i++)
		if (ranges->row[i].name == name)
			return &ranges->row[i];
	fail_msg("no row of name %u", name);
	return NULL;
}

static void reads(struct ranges *ranges, uint64_t time_ns, uint32_t thread, uint64_t cpu_ns)
{
	ranges_clock(ranges, (struct nest_place){ time_ns, thread, 0, 0, NULL, 0 }, cpu_ns);
}

TEST(cpu_time_where_clocks_were_read)
{
	struct ranges ranges;
	uint64_t ns;

	ranges_init(&ranges, false);
	push(&ranges, 50, 0, 0, C); /* before the first reading: nothing is known of it */
	reads(&ranges, 100, 0, 7);
	push(&ranges, 100, 0, 0, A);
	reads(&ranges, 105, 1, 900); /* of another thread */
	push(&ranges, 110, 0, 0, B);
	pop(&ranges, 120, 0, 0);
	reads(&ranges, 1100, 0, 207);
	pop(&ranges, 1100, 0, 0);
	pop(&ranges, 1100, 0, 0);
	assert_true(cpu_span_value(&row_of(&ranges, A)->cpu, 1000, &ns));
	assert_int_equal(ns, 200);
	assert_false(cpu_span_value(&row_of(&ranges, B)->cpu, 10, &ns)); /* between readings */
	assert_false(cpu_span_value(&row_of(&ranges, C)->cpu, 1050, &ns));
	ranges_release(&ranges);
}

TEST(self_is_total_without_children)
{
	struct ranges ranges;

	ranges_init(&ranges, false);
	push(&ranges, 100, 0, 0, A);
	push(&ranges, 110, 0, 0, B);
	push(&ranges, 115, 1, 0, B); /* another thread's range is no child */
	pop(&ranges, 130, 0, 0);
	push(&ranges, 140, 0, 0, B);
	pop(&ranges, 145, 0, 0);
	pop(&ranges, 200, 0, 0);
	pop(&ranges, 215, 1, 0);
	assert_int_equal(row_of(&ranges, A)->time.total_ns, 100);
	assert_int_equal(row_of(&ranges, A)->self_ns, 75);
	assert_int_equal(row_of(&ranges, B)->count, 3);
	assert_int_equal(row_of(&ranges, B)->time.total_ns, 125);
	assert_int_equal(row_of(&ranges, B)->time.min_ns, 5);
	assert_int_equal(row_of(&ranges, B)->time.max_ns, 100);
	assert_int_equal(ranges.unbalanced, 0);
	ranges_release(&ranges);
}

TEST(pops_close_the_innermost_of_their_domain)
{
	struct ranges ranges;

	ranges_init(&ranges, false);
	push(&ranges, 0, 0, 1, A);
	push(&ranges, 10, 0, 2, B); /* another domain, closed after A */
	pop(&ranges, 30, 0, 1);
	pop(&ranges, 50, 0, 2);
	assert_int_equal(row_of(&ranges, A)->time.total_ns, 30);
	assert_int_equal(row_of(&ranges, A)->self_ns, 10);
	assert_int_equal(row_of(&ranges, B)->time.total_ns, 40);
	assert_int_equal(row_of(&ranges, B)->self_ns, 40);
	ranges_release(&ranges);
}

TEST(crossed_domains_charge_the_outer_range_once)
{
	struct ranges ranges;

	ranges_init(&ranges, false);
	push(&ranges, 0, 0, 1, C);
	push(&ranges, 10, 0, 1, A);
	push(&ranges, 20, 0, 2, B);
	pop(&ranges, 30, 0, 1); /* A: 20, of which B 10 */
	pop(&ranges, 50, 0, 2); /* B: 30, of which 20 after A */
	pop(&ranges, 100, 0, 1);
	assert_int_equal(row_of(&ranges, A)->self_ns, 10);
	assert_int_equal(row_of(&ranges, B)->self_ns, 30);
	assert_int_equal(row_of(&ranges, C)->self_ns, 60);
	assert_int_equal(row_of(&ranges, C)->time.total_ns, 100);
	ranges_release(&ranges);
}

TEST(time_within_any_range_counts_once)
{
	struct ranges ranges;

	ranges_init(&ranges, false);
	push(&ranges, 0, 0, 1, C);
	push(&ranges, 10, 0, 1, A);
	push(&ranges, 20, 0, 2, B);
	pop(&ranges, 30, 0, 1);
	pop(&ranges, 50, 0, 1); /* C is closed, B goes on */
	pop(&ranges, 60, 0, 2);
	push(&ranges, 100, 0, 1, A);
	pop(&ranges, 105, 0, 1);
	push(&ranges, 100, 3, 1, A);
	ranges_cut(&ranges, (struct nest_place){ 130, 3, 0, 0, NULL, 0 }, (struct work){ 0 },
		   NEST_CUT);
	assert_int_equal(ranges_covered_ns(&ranges, 0), 65);
	assert_int_equal(ranges_covered_ns(&ranges, 1), 0);
	assert_int_equal(ranges_covered_ns(&ranges, 3), 30);
	assert_int_equal(ranges_covered_ns(&ranges, 1000), 0);
	ranges_release(&ranges);
}

TEST(unbalanced_pops_are_counted_and_harmless)
{
	struct ranges ranges;

	ranges_init(&ranges, false);
	pop(&ranges, 10, 0, 0);
	push(&ranges, 20, 0, 0, A);
	pop(&ranges, 25, 1, 0);
	pop(&ranges, 30, 0, 7);
	pop(&ranges, 40, 0, 0);
	ranges_end(&ranges, &(struct range_closing){ 50, 0, 0, 0, 99, { 0 }, NULL });
	assert_int_equal(ranges.unbalanced, 4);
	assert_int_equal(row_of(&ranges, A)->time.total_ns, 20);
	ranges_release(&ranges);
}

TEST(open_ranges_count_and_take_time_when_the_process_has_ended)
{
	struct ranges ranges;

	for (int ended = 0; ended < 2; ended++) {
		ranges_init(&ranges, false);
		push(&ranges, 0, 0, 0, A);
		push(&ranges, 60, 0, 0, B);
		ranges_start(&ranges,
			     &(struct range_opening){ 70, 0, 0, 0, C, 1, { 0 }, true, NULL });
		assert_int_equal(row_of(&ranges, A)->count, 1);
		assert_int_equal(row_of(&ranges, A)->time.total_ns, 0);
		ranges_cut(&ranges, (struct nest_place){ 100, 0, 0, 0, NULL, 0 },
			   (struct work){ 0 }, ended ? NEST_CUT : NEST_RUNS_ON);
		ranges_cut_started(&ranges, (struct nest_place){ 100, NEST_NONE, 0, 0, NULL, 0 },
				   (struct work){ 0 }, ended ? NEST_CUT : NEST_RUNS_ON);
		assert_int_equal(row_of(&ranges, A)->open, 1);
		assert_int_equal(row_of(&ranges, B)->open, 1);
		assert_int_equal(row_of(&ranges, C)->open, 1);
		assert_int_equal(row_of(&ranges, A)->time.total_ns, ended ? 100 : 0);
		assert_int_equal(row_of(&ranges, A)->self_ns, ended ? 60 : 0);
		assert_int_equal(row_of(&ranges, C)->time.total_ns, ended ? 30 : 0);
		ranges_release(&ranges);
	}
}

TEST(work_inside_is_the_difference)
{
	struct ranges ranges;

	ranges_init(&ranges, false);
	ranges_push(&ranges, &(struct range_opening){
				     0,
				     0,
				     0,
				     0,
				     A,
				     0,
				     { .allocations = 5, .bytes_allocated = 500, .cuda_calls = 2 },
				     true,
				     NULL });
	ranges_pop(&ranges, &(struct range_closing){
				    9,
				    0,
				    0,
				    0,
				    0,
				    { .allocations = 8, .bytes_allocated = 900, .cuda_calls = 2 },
				    NULL });
	assert_int_equal(row_of(&ranges, A)->work.allocations, 3);
	assert_int_equal(row_of(&ranges, A)->work.bytes_allocated, 400);
	assert_int_equal(row_of(&ranges, A)->work.cuda_calls, 0);
	ranges_release(&ranges);
}

TEST(start_end_match_by_number_in_any_order)
{
	struct ranges ranges;

	ranges_init(&ranges, false);
	ranges_start(&ranges, &(struct range_opening){ 0, 0, 3, 0, A, 1, { 0 }, true, NULL });
	ranges_start(&ranges, &(struct range_opening){ 10, 0, 3, 0, B, 2, { 0 }, true, NULL });
	ranges_end(&ranges, &(struct range_closing){
				    20, 0, 4, 0, 1, { 0 }, NULL }); /* another process's 1 */
	ranges_end(&ranges, &(struct range_closing){ 30, 0, 3, 0, 1, { 0 }, NULL });
	ranges_end(&ranges, &(struct range_closing){ 50, 0, 3, 0, 2, { 0 }, NULL });
	assert_int_equal(row_of(&ranges, A)->time.total_ns, 30);
	assert_int_equal(row_of(&ranges, A)->self_ns, 30);
	assert_int_equal(row_of(&ranges, B)->time.total_ns, 40);
	assert_int_equal(ranges.unbalanced, 1);
	ranges_release(&ranges);
}

TEST(paths_are_rows_of_their_own)
{
	struct ranges ranges;

	ranges_init(&ranges, true);
	push(&ranges, 0, 0, 0, A);
	push(&ranges, 1, 0, 0, B);
	pop(&ranges, 2, 0, 0);
	pop(&ranges, 3, 0, 0);
	push(&ranges, 4, 0, 0, B);
	pop(&ranges, 5, 0, 0);
	assert_int_equal(ranges.row_count, 3);
	assert_int_equal(ranges.row[1].parent, 0);
	assert_int_equal(ranges.row[1].depth, 1);
	assert_true(ranges.row[2].parent == RANGE_NONE);
	ranges_release(&ranges);
}

/* Linear time however deep, also when another domain's ranges lie above. */
TEST(deep_nesting_takes_constant_time_each)
{
	enum { DEPTH = 100000 };
	struct ranges ranges;

	ranges_init(&ranges, false);
	for (uint64_t i = 0; i < DEPTH; i++)
		push(&ranges, i, 0, (uint32_t)(i & 1), A);
	for (uint64_t i = 0; i < DEPTH; i++)
		pop(&ranges, DEPTH + i, 0, i < DEPTH / 2);
	assert_int_equal(ranges.row[0].count + ranges.row[1].count, DEPTH);
	assert_int_equal(ranges.row[0].time.count + ranges.row[1].time.count, DEPTH);
	assert_int_equal(ranges.unbalanced, 0);
	ranges_release(&ranges);
}

TEST(many_names_take_bounded_memory_each)
{
	enum { NAMES = 200000 };
	struct ranges ranges;
	size_t slots = 0;

	ranges_init(&ranges, false);
	for (uint32_t i = 0; i < NAMES; i++) {
		push(&ranges, i, 0, 0, i);
		pop(&ranges, i + 1, 0, 0);
	}
	assert_int_equal(ranges.row_count, NAMES);
	assert_in_range(ranges.open_room, 1, 16);
	for (size_t i = 0; i < ranges.row_count; i++)
		slots += ranges.row[i].time.durations.room;
	assert_in_range(slots, NAMES, NAMES * 2);
	assert_true(sizeof(struct range_row) - sizeof(struct work) <= 144);
	ranges_release(&ranges);
}

static int compare_numbers(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

TEST(percentiles_are_within_one_percent)
{
	enum { SAMPLES = 100000 };
	static uint64_t value[SAMPLES];
	static const double percents[] = { 0.1, 1, 10, 50, 90, 99, 99.9, 100 };
	struct histogram histogram = { 0 };
	uint64_t seed = 7;

	for (size_t i = 0; i < SAMPLES; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		value[i] = (seed >> 11) >>
			   ((seed >> 3) & 50); /* over fifteen orders of magnitude */
		histogram_add(&histogram, value[i], 1);
	}
	qsort(value, SAMPLES, sizeof(value[0]), compare_numbers);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		double rank = percents[i] / 100 * SAMPLES;
		double truth = (double)value[(size_t)(rank + 0.999999) - 1];
		double got = (double)histogram_percentile(&histogram, percents[i]);

		assert_true(got >= truth * 0.99 && got <= truth * 1.01);
	}
	histogram_release(&histogram);
}

/* Every sample by itself, and buckets in their order, while those between them get slots. */
static void check_samples(const struct histogram *histogram, const uint64_t *sorted, size_t count)
{
	for (uint32_t i = 1; i < histogram->used; i++)
		assert_true(histogram->slot[i - 1] >> 48 < histogram->slot[i] >> 48);
	for (size_t i = 0; i < count; i++) {
		double percent = 100.0 * ((double)i + 0.5) / (double)count;
		double got = (double)histogram_percentile(histogram, percent);

		assert_true(got >= (double)sorted[i] * 0.99 && got <= (double)sorted[i] * 1.01);
	}
}

TEST(every_sample_is_in_its_bucket)
{
	enum { SAMPLES = 150 };
	uint64_t value[SAMPLES], seed = 3;

	for (unsigned int width = 1; width < 40; width++) {
		struct histogram histogram = { 0 }, both = { 0 };

		for (size_t i = 0; i < SAMPLES; i++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			value[i] = 1000 + (seed >> 20) % (1ull << width);
			histogram_add(i % 3 ? &histogram : &both, value[i], 1);
		}
		histogram_merge(&both, &histogram);
		qsort(value, SAMPLES, sizeof(value[0]), compare_numbers);
		check_samples(&both, value, SAMPLES);
		histogram_release(&histogram);
		histogram_release(&both);
	}
}

TEST(merged_rows_have_the_statistics_of_all)
{
	struct ranges ranges;

	ranges_init(&ranges, false);
	for (uint64_t i = 1; i <= 4; i++) { /* durations 10 20 under A, 30 40 under B */
		push(&ranges, 0, 0, 0, i <= 2 ? A : B);
		pop(&ranges, i * 10, 0, 0);
	}
	timing_merge(&ranges.row[0].time, &ranges.row[1].time);
	assert_int_equal(ranges.row[0].time.total_ns, 100);
	assert_int_equal(ranges.row[0].time.min_ns, 10);
	assert_int_equal(ranges.row[0].time.max_ns, 40);
	assert_int_equal(timing_stddev(&ranges.row[0].time), 13); /* 12.91 */
	assert_int_equal(timing_percentile(&ranges.row[0].time, 50), 20);
	ranges_release(&ranges);
}
