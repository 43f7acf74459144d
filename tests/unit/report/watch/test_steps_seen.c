/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/watch/steps_seen.c: how many steps have ended, in how many processes, and how long the
 * last one took.
 */
#include "tests/unit/unit.h"
#include "report/watch/follower.h"
#include "tests/unit/run_fixture.h"

static void step(struct frame_writer *fw, uint64_t time_ns, uint64_t number)
{
	FRAME_PUT(fw, time_ns, step, .number = number, .name = name_of("step"));
}

TEST(a_step_counts_when_the_next_one_begins)
{
	struct frame_writer *fw = recording_begin(1);
	const struct steps_seen *seen;

	step(fw, 1000, 0);
	step(fw, 1300, 1);
	step(fw, 1800, 2);
	recording_open();
	seen = steps_seen_want(run, &(struct steps_seen_options){ 0 });
	recording_read();
	assert_int_equal(seen->count, 2);
	assert_int_equal(seen->processes, 1);
	assert_int_equal(seen->last_number, 2);
	assert_int_equal(seen->last_ns, 500);
	recording_close();
}

/* Each process has its own clock of steps: the first step of the second one ends nothing. */
TEST(processes_do_not_end_each_others_steps)
{
	struct frame_writer *fw = recording_begin(2);
	const struct steps_seen *seen;

	step(fw, 1000, 0);
	step(fw, 5000, 1);
	on_stream(3);
	step(fw, 2000, 0);
	step(fw, 6000, 7);
	recording_open();
	seen = steps_seen_want(run, &(struct steps_seen_options){ 0 });
	recording_read();
	assert_int_equal(seen->count, 2);
	assert_int_equal(seen->processes, 2);
	assert_int_equal(seen->last_number, 7);
	assert_int_equal(seen->last_ns, 4000);
	recording_close();
}

TEST(without_steps_all_is_zero)
{
	const struct steps_seen *seen;

	recording_begin(1);
	recording_open();
	seen = steps_seen_want(run, &(struct steps_seen_options){ 0 });
	recording_read();
	assert_int_equal(seen->count, 0);
	assert_int_equal(seen->processes, 0);
	recording_close();
}
