/* SPDX-License-Identifier: MIT */
/* links: collector */
/*
 * collector/turn/epoch.c: when a recording ends, if its collector was late.
 */
#include "tests/unit/unit.h"
#include "tests/unit/collector_fixture.h"

#include <unistd.h>

#include "collector/turn/epoch.h"

#define MS 1000000ull
#define LATE_NS (20 * MS)

/* The process in entry 0 leaves now. Returns the time, in the file's clock. */
static uint64_t leave(void)
{
	uint64_t now_ns = fixture_clock(CLOCK_MONOTONIC);

	f.process[0].exit_tsc = now_ns;
	f.process[0].exit_status = 0;
	atomic_store(&f.process[0].state, REGION_PROCESS_EXITING);
	return now_ns - f.header->base_mono;
}

static void be_late(void)
{
	uint64_t until_ns = fixture_clock(CLOCK_MONOTONIC) + LATE_NS;

	while (fixture_clock(CLOCK_MONOTONIC) < until_ns)
		usleep(1000);
}

/*
 * A turn began when the process was alive. The collector was then stopped, and a frame is due when
 * it goes on.
 */
TEST_BOTH(frame_of_programs_that_are_gone_ends_with_them, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);
	uint64_t left_ns;

	fixture_put_malloc(&f, ring, 0x1000, 1, 0x401122);
	collector_turn(&c);
	assert_int_equal(c.processes.alive, 1);
	left_ns = leave();
	be_late();
	epoch_close(&c, EPOCH_NOW);
	assert_true(c.watermark_ns <= left_ns + MS);
	finish();
	assert_int_equal(content_count(&content, EVT_malloc), 1);
	assert_int_equal(content_count(&content, EVT_process_end), 1);
	assert_true(content_find(&content, EVT_process_end, 0)->time_ns <= content.end.end_ns);
	assert_true(content.end.end_ns <= left_ns + MS);
	for (size_t i = 0; i < content.count; i++)
		assert_true(content.event[i].time_ns <= content.end.end_ns);
}

/* While one is alive, the frame ends when it is closed. */
TEST_BOTH(frame_beside_a_program_that_lives_ends_now, setup, teardown)
{
	uint64_t before_ns;

	fixture_add_process(&f, 1, (uint32_t)getpid());
	collector_turn(&c);
	assert_int_equal(c.processes.alive, 2);
	leave();
	be_late();
	before_ns = fixture_clock(CLOCK_MONOTONIC) - f.header->base_mono;
	epoch_close(&c, EPOCH_NOW);
	assert_true(c.watermark_ns >= before_ns);
}

/* A child that is just being made has a place before it is known. */
TEST_BOTH(frame_before_a_child_ends_now, setup, teardown)
{
	uint64_t before_ns;

	collector_turn(&c);
	f.process[1].serial = 1;
	f.header->process_limit = 2;
	atomic_store(&f.process[1].state, REGION_PROCESS_PENDING);
	leave();
	be_late();
	before_ns = fixture_clock(CLOCK_MONOTONIC) - f.header->base_mono;
	epoch_close(&c, EPOCH_NOW);
	assert_int_equal(c.processes.waiting, 1);
	assert_true(c.watermark_ns >= before_ns);
}

/*
 * A turn scans by the time at which it began, also after a frame was closed meanwhile, by a later
 * one. Then a second seemed to have passed, and the child's place was given up.
 */
TEST_BOTH(child_is_waited_for_when_a_turn_is_older_than_its_frame, setup, teardown)
{
	uint64_t turn_ns = fixture_clock(CLOCK_MONOTONIC);

	f.process[1].serial = 1;
	f.header->process_limit = 2;
	atomic_store(&f.process[1].state, REGION_PROCESS_PENDING);
	processes_scan(&c.processes, &c.common, turn_ns + 1);
	assert_int_equal(c.processes.waiting, 1);
	processes_scan(&c.processes, &c.common, turn_ns);
	assert_int_equal(c.processes.waiting, 1);
	assert_int_equal(atomic_load(&f.process[1].state), REGION_PROCESS_PENDING);
}
