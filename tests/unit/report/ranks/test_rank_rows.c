/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/ranks/rank_rows.c: medians, arrival, and when a rank is said to hold the others up, and
 * when not.
 */
#include <stdlib.h>

#include "report/ranks/rank_rows.h"

#include "tests/unit/samples_recording.h"
#include "tests/unit/recording_source.h"

#define RANKS 3u
#define STEPS 40u

static struct rank_rows rows;
static struct steps steps;
static struct collectives calls;

static void open_ranks(void)
{
	char text[16];

	cuda_recording_start(&c, RANKS);
	frame_begin_block(c.r.fw, 0);
	for (unsigned int i = 0; i < RANKS; i++) {
		snprintf(text, sizeof(text), "%u", i);
		FRAME_PUT(c.r.fw, 1, meta, .process = i + 1, .key = cuda_recording_name(&c, "rank"),
			  .value = cuda_recording_name(&c, text));
	}
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, 1000 * MS);
	source = recording_source(&c.r);
	while (source_step(source))
		;
	steps = (struct steps){ .row = calloc(RANKS * STEPS, sizeof(struct step_row)) };
	calls = (struct collectives){ .call = calloc(RANKS * STEPS, sizeof(*calls.call)) };
}

/*
 * The first `count` steps of a rank: so long on its own, most of it in the forward pass, and then
 * in communication.
 */
static void works(uint32_t rank, unsigned int from, unsigned int to, uint64_t own_ms)
{
	for (unsigned int i = from; i < to; i++)
		steps.row[steps.row_count++] = (struct step_row){
			.number = i,
			.process = rank,
			.total_ns = (own_ms + 5) * MS,
			.phases.ns = { [PHASE_forward] = own_ms * MS - MS,
				       [PHASE_other] = MS,
				       [PHASE_communication] = 5 * MS },
		};
}

/* Calls with that rank as the last, by so much. */
static void arrives_last(uint32_t last, unsigned int count, uint64_t by_ns)
{
	for (unsigned int i = 0; i < count; i++)
		for (uint32_t rank = 0; rank < RANKS; rank++)
			calls.call[calls.call_count++] = (struct collective_call){
				.process = rank,
				.ordinal = i,
				.begin_ns = 1000 * MS + rank + (rank == last ? by_ns + RANKS : 0),
				.is_matched = true,
				.counts = true,
			};
}

static void close_ranks(void)
{
	rank_rows_release(&rows);
	rows = (struct rank_rows){ 0 };
	free(steps.row);
	free(calls.call);
	source_close(source);
	cuda_recording_release(&c);
}

TEST(one_is_slow_from_a_step_on)
{
	open_ranks();
	works(2, 0, STEPS, 10);
	works(0, 0, STEPS, 11);
	works(1, 0, 13, 10);
	works(1, 13, STEPS, 30);
	arrives_last(1, 20, 7 * MS);
	rank_rows_make(&rows, source, &steps, &calls);
	assert_int_equal(rows.count, 3);
	assert_int_equal(rows.row[1].rank, 1);
	assert_int_equal(rows.row[1].steps, STEPS - 1);
	assert_int_equal(rows.row[1].own_p50_ns, 30 * MS);
	assert_int_equal(rows.row[1].step_p50_ns, 35 * MS);
	assert_int_equal(rows.row[1].own_first_ns, 10 * MS);
	assert_int_equal(rows.row[1].arrivals.late_count, 20);
	assert_int_equal(rows.row[1].arrivals.late_ns, 20 * (7 * MS + 2));
	assert_true(rows.row[1].score > 0.33 && rows.row[1].score < 0.34);
	assert_true(rows.row[2].score == 1);
	assert_int_equal(rows.straggler, 1);
	assert_int_equal(rows.slower_in, PHASE_forward);
	assert_int_equal(rows.slower_ns, 20 * MS);
	assert_true(rows.since_step > 9 && rows.since_step <= 17);
	/* 12 steps of 11 ms, 27 of 30 ms that would be 11 ms */
	assert_true(rows.gain_percent > 54 && rows.gain_percent < 55);
	close_ranks();
}

TEST(of_two_slow_ones_none_is_named)
{
	open_ranks();
	works(0, 0, STEPS, 10);
	works(1, 0, STEPS, 30);
	works(2, 0, STEPS, 31);
	arrives_last(2, 20, MS);
	rank_rows_make(&rows, source, &steps, &calls);
	assert_int_equal(rows.straggler, SIZE_MAX);
	close_ranks();
}

/* On a busy machine some other one is often a little slower than the rest. */
TEST(one_that_is_far_slower_than_another_slow_one)
{
	open_ranks();
	works(0, 0, STEPS, 10);
	works(1, 0, STEPS, 30);
	works(2, 0, STEPS, 26);
	arrives_last(1, 20, MS);
	rank_rows_make(&rows, source, &steps, &calls);
	assert_int_equal(rows.straggler, 1);
	/* the others' step takes 26 ms, or their median */
	assert_true(rows.gain_percent > 13 && rows.gain_percent < 14);
	close_ranks();
}

/* It works longer, but the others do not wait for it. */
TEST(one_that_is_not_late_is_not_named)
{
	open_ranks();
	works(0, 0, STEPS, 10);
	works(1, 0, STEPS, 30);
	works(2, 0, STEPS, 10);
	arrives_last(2, 20, MS);
	rank_rows_make(&rows, source, &steps, &calls);
	assert_int_equal(rows.straggler, SIZE_MAX);
	close_ranks();
}

TEST(few_steps_say_nothing)
{
	open_ranks();
	works(0, 0, 10, 10);
	works(1, 0, 10, 30);
	works(2, 0, 10, 10);
	rank_rows_make(&rows, source, &steps, &calls);
	assert_int_equal(rows.straggler, SIZE_MAX);
	assert_int_equal(rows.row[1].own_p50_ns, 30 * MS);
	assert_int_equal(rows.row[1].own_first_ns, 0);
	close_ranks();
}

TEST(one_step_and_one_rank)
{
	open_ranks();
	works(1, 0, 1, 30);
	rank_rows_make(&rows, source, &steps, &calls);
	assert_int_equal(rows.count, 1);
	assert_int_equal(rows.row[0].steps, 0);
	assert_int_equal(rows.straggler, SIZE_MAX);
	close_ranks();
}
