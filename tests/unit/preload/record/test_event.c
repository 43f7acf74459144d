/* SPDX-License-Identifier: MIT */
/* links: preload:record/recorder.c,record/last_name.c,record/rings.c,record/room.c,record/entry.c,record/strings.c */
/*
 * preload/record/event.c, compiled with the events of tests/unit/more_events.def: an event in a
 * block takes one word more in the ring, all others what they always took.
 */
#define EVT_MORE_EVENTS "tests/unit/more_events.def"

#include "tests/unit/plain_clock.h"
#include "tests/unit/unit.h"
#include "tests/unit/preload_region.h"

#include "preload/record/event.c" /* NOLINT(bugprone-suspicious-include): compiled in another way */
#include "preload/record/trouble.h"

/* preload/record/trouble.h: nothing goes wrong here. */
void trouble_watch(struct region_header *region)
{
	(void)region;
}

void trouble_look(void)
{
}

static int set_up(void **state)
{
	uint32_t entry = region_make(false);

	return recorder_open(&region_made, entry, 1u << EVT_FAMILY_io);
}

static int tear_down(void **state)
{
	region_unmake();
	return 0;
}

TEST_BOTH(event_in_a_block_has_its_number, set_up, tear_down)
{
	const struct recorder_field call[] = { { .number = 3 },
					       { .number = (uint64_t)-4 },
					       { .number = 0 },
					       { .number = 5 },
					       { .number = 0x7000 } };
	const struct recorder_field closed[] = { { .number = 8 } };
	const uint64_t *words;

	recorder_capture(true);
	assert_true(recorder_record(EVT_FAMILY_io, EVT_probe_call, call, 5));
	assert_true(recorder_record(EVT_FAMILY_io, EVT_io_close, closed, 1));
	words = region_words(0, 0);
	assert_int_equal(record_type(words[0]), RECORD_IN_BLOCK);
	assert_int_equal(words[1], EVT_BLOCK_io * EVT_BLOCK_NUMBERS);
	assert_int_equal(words[2], 3);
	assert_true(words[3] == (uint64_t)-4);
	assert_int_equal(words[6], 0x7000);
	assert_int_equal(record_type(words[7]), EVT_io_close);
	assert_int_equal(words[8], 8);
	assert_int_equal(atomic_load(&region_ring(0, 0)->head), 9);
}
