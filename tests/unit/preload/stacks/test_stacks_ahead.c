/* SPDX-License-Identifier: MIT */
/* links: preload:stacks/ahead.c,stacks/pages.c,stacks/frame_names.c */
/*
 * preload/stacks/ahead.c: what the log expects. That nothing depends on it is what test_stack
 * shows.
 */
#include "tests/unit/plain_clock.h"
#include "tests/unit/unit.h"
#include "preload/stacks/ahead.h"

#define WALKS 300u
#define NAMES 2048u /* homes of all walks */

/* What ahead.c is linked with wants these; nothing here calls them. */
uint64_t recorder_base;
union recorder_page recorder_page;

bool recorder_make_room(struct recorder_lane *full, unsigned int count)
{
	(void)full;
	(void)count;
	return false;
}

bool recorder_find_room(struct recorder_lane *full, unsigned int count)
{
	(void)full;
	(void)count;
	return false;
}

static uint64_t home_of(unsigned int i)
{
	return i * 4 + 4;
}

/* Was the walk where the thread expected it? */
static bool note(struct ahead *ahead, unsigned int i)
{
	bool expected = ahead->log[ahead->next & AHEAD_LOG_MASK] == home_of(i);

	ahead_note(ahead, home_of(i));
	return expected;
}

static unsigned int note_all(struct ahead *ahead)
{
	unsigned int expected = 0;

	for (unsigned int i = 0; i < WALKS; i++)
		expected += note(ahead, i);
	return expected;
}

static struct ahead ahead_with_log(void)
{
	struct ahead ahead = { 0 };

	assert_true(frame_names_begin(NAMES));
	memset(frame_names.entry, 0, NAMES * sizeof(*frame_names.entry));
	ahead_begin(&ahead);
	assert_non_null(ahead.log);
	return ahead;
}

/*
 * The second time all but the first are expected, the third time all are; what was in between costs
 * one.
 */
TEST(test_repeats)
{
	struct ahead ahead = ahead_with_log();

	assert_int_equal(note_all(&ahead), 0);
	assert_int_equal(note_all(&ahead), WALKS - 1);
	assert_int_equal(note_all(&ahead), WALKS);
	(void)note(&ahead, 17);
	assert_int_equal(note_all(&ahead), WALKS - 1);
}

/* While it is followed, no entry that other threads read is written. */
TEST(test_followed)
{
	struct ahead ahead = ahead_with_log();
	uint32_t place;

	note_all(&ahead);
	note_all(&ahead);
	place = frame_place(&frame_names.entry[home_of(5)]);
	note_all(&ahead);
	assert_int_equal(frame_place(&frame_names.entry[home_of(5)]), place);
}

/* The log begins anew at its end, and what it had is not believed. */
TEST(test_wraps)
{
	struct ahead ahead = ahead_with_log();

	for (unsigned int i = 0; i < 2 * AHEAD_LOG_ENTRIES / WALKS; i++)
		note_all(&ahead);
	assert_true(note_all(&ahead) >= WALKS - 1);
}

/* Another thread's log has the frame elsewhere. */
TEST(test_two_threads)
{
	struct ahead one = ahead_with_log(), two = ahead_with_log();

	note_all(&one);
	(void)note(&two, 3);
	note_all(&two);
	assert_int_equal(note_all(&one), 0); /* all places are those in the log of two */
	assert_int_equal(note_all(&one), WALKS - 1);
}

/* A thread has a log after many walks, and only so many threads have one. */
TEST(test_logs)
{
	struct ahead ahead = { 0 }, other;
	unsigned int logs = 0;

	for (unsigned int i = 0; i < AHEAD_WALKS_MIN; i++) {
		assert_null(ahead.log);
		ahead_note(&ahead, home_of(1));
	}
	assert_non_null(ahead.log);
	for (unsigned int i = 0; i < 2 * AHEAD_LOGS_MAX; i++) {
		other = (struct ahead){ 0 };
		ahead_begin(&other);
		logs += other.log != NULL;
	}
	assert_true(logs < AHEAD_LOGS_MAX);
	assert_null(other.log);
	ahead_note(&other, home_of(1));
	assert_int_equal(other.walks, 1);
}
