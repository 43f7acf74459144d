/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/gc/gc_events.c: collections by generation and by line; what has no begin, or no end. */
#include "tests/unit/unit.h"
#include "report/gc/gc_events.h"
#include "tests/unit/run_fixture.h"

static void begin(struct frame_writer *fw, uint64_t time_ns, uint64_t generation)
{
	FRAME_PUT(fw, time_ns, gc_begin, .generation = generation, .file = name_of("train.py"),
		  .line = 10 + generation);
}

static void end(struct frame_writer *fw, uint64_t time_ns, uint64_t collected)
{
	FRAME_PUT(fw, time_ns, gc_end, .collected = collected, .uncollectable = 1);
}

static const struct collections *read_by(enum key_id by)
{
	const struct collections *collections;

	recording_open();
	collections = collections_want(run, &(struct collections_options){ .by = by });
	recording_read();
	return collections;
}

TEST(collections_add_up_by_generation)
{
	struct frame_writer *fw = recording_begin(1);
	const struct collections *collections;
	struct group *young, *full;

	begin(fw, 1000, 0);
	end(fw, 1100, 5);
	begin(fw, 2000, 2);
	end(fw, 2700, 40);
	begin(fw, 3000, 0);
	end(fw, 3300, 7);
	collections = read_by(BY_gc_generation);
	assert_int_equal(collections->groups.count, 2);
	young = &collections->groups.group[0];
	full = &collections->groups.group[1];
	assert_int_equal(young->key[COLLECTIONS_KEY], 0);
	assert_int_equal(young->time.count, 2);
	assert_int_equal(young->time.total_ns, 400);
	assert_int_equal((int)group_sums(young)[COLLECTIONS_FREED], 12);
	assert_int_equal((int)group_sums(young)[COLLECTIONS_UNCOLLECTABLE], 2);
	assert_int_equal(full->key[COLLECTIONS_KEY], 2);
	assert_int_equal(full->time.total_ns, 700);
	assert_int_equal(collections->open, 0);
	recording_close();
}

/* An end alone is none; a begin alone is one of which no end is known, and no time. */
TEST(halves_are_no_collections)
{
	struct frame_writer *fw = recording_begin(1);
	const struct collections *collections;

	end(fw, 500, 3);
	begin(fw, 1000, 1);
	collections = read_by(BY_gc_generation);
	assert_int_equal(collections->groups.count, 0);
	assert_int_equal(collections->open, 1);
	recording_close();
}

TEST(threads_collect_beside_each_other)
{
	struct frame_writer *fw = recording_begin(2);
	const struct collections *collections;

	begin(fw, 1000, 0);
	end(fw, 1500, 1);
	on_stream(3);
	begin(fw, 1200, 0);
	end(fw, 1300, 2);
	collections = read_by(BY_gc_generation);
	assert_int_equal(collections->groups.count, 1);
	assert_int_equal(collections->groups.group[0].time.count, 2);
	assert_int_equal(collections->groups.group[0].time.total_ns, 600);
	recording_close();
}
