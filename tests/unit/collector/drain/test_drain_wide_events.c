/* SPDX-License-Identifier: MIT */
/* links: collector format */
/* replaces: collector/format/events.c */
/*
 * Events whose numbers are above 127, from the ring to the file and back: collector/format/events.c
 * is compiled with those of tests/unit/more_events.def, all the rest is what the programs consist
 * of.
 */
#define EVT_MORE_EVENTS "tests/unit/more_events.def"
/* NOLINTNEXTLINE(bugprone-suspicious-include): compiled in another way */
#include "collector/format/events.c"

#include "tests/unit/collector_fixture.h"

#define NUMBER(name, n) ((uint64_t)EVT_BLOCK_##name * EVT_BLOCK_NUMBERS + (n))

static struct region_ring *ring;

static void put_call(uint64_t count, uint64_t name)
{
	fixture_put(&f, ring,
		    (uint64_t[]){ record_word(fixture_ticks(&f), RECORD_IN_BLOCK), NUMBER(io, 0),
				  count, (uint64_t)-2, name, 5000, 0x7f0000401000 },
		    7);
}

TEST_BOTH(they_arrive_like_others, setup, teardown)
{
	const struct event *e;

	ring = fixture_add_ring(&f, 0, 0, 77);
	fixture_put_text(&f, ring, 11, "what", 0);
	fixture_put_malloc(&f, ring, 0x7f0000001000, 64, 0x401122);
	put_call(10, 11);
	fixture_put_free(&f, ring, 0x7f0000001000);
	put_call(20, 0);
	fixture_put(&f, ring,
		    (uint64_t[]){ record_word(fixture_ticks(&f), RECORD_IN_BLOCK),
				  NUMBER(pymem, 255), 0x7f0000002000, 32, 0x401133 },
		    5);
	finish();
	assert_int_equal(content_count(&content, EVT_lost), 0);
	assert_int_equal(content_count(&content, EVT_probe_call), 2);
	e = content_find(&content, EVT_probe_call, 0);
	assert_int_equal(EVENT_AS(probe_call, e)->count, 10);
	assert_int_equal(EVENT_AS(probe_call, e)->change, -2);
	assert_int_equal(EVENT_AS(probe_call, e)->duration_ns, 5000);
	assert_int_equal(EVENT_AS(probe_call, e)->at, 0x7f0000401000);
	assert_string_equal(content_string(&content, EVENT_AS(probe_call, e)->what), "what");
	e = content_find(&content, EVT_probe_call, 1);
	assert_int_equal(EVENT_AS(probe_call, e)->count, 20);
	e = content_find(&content, EVT_probe_block, 0);
	assert_non_null(e);
	assert_int_equal(EVENT_AS(probe_block, e)->ptr, 0x7f0000002000);
	assert_int_equal(EVENT_AS(probe_block, e)->bytes, 32);
	assert_int_equal(EVENT_AS(probe_block, e)->caller, 0x401133);
	assert_int_equal(content_count(&content, EVT_malloc), 1);
	assert_int_equal(content_count(&content, EVT_free), 1);
}

TEST_BOTH(stacks_belong_to_them, setup, teardown)
{
	ring = fixture_add_ring(&f, 0, 0, 77);
	fixture_put(&f, ring,
		    (uint64_t[]){ record_word(fixture_ticks(&f), RECORD_FRAME), 9, 0, 0x402200 },
		    4);
	fixture_put(&f, ring, (uint64_t[]){ record_word(fixture_ticks(&f), RECORD_STACK), 9 }, 2);
	put_call(10, 0);
	put_call(20, 0);
	finish();
	for (size_t i = 0, seen = 0; i < content.count; i++) {
		if (content.event[i].id != EVT_probe_call)
			continue;
		if (seen++) {
			assert_null(content.stack[i]);
		} else {
			assert_non_null(content.stack[i]);
			assert_int_equal(content.stack[i]->frame[0].address, 0x402200);
		}
	}
	assert_int_equal(content_count(&content, EVT_probe_call), 2);
}

/* Numbers that no recorder writes; a record that ends behind what is there. */
TEST_BOTH(nonsense_closes_the_ring, setup, teardown)
{
	const uint64_t wrong[] = {
		0, EVT_malloc, EVT_ID_BLOCKS, NUMBER(system, 7), NUMBER(io, 1), 1u << 16, UINT64_MAX
	};

	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ring = fixture_add_ring(&f, i, 0, 100 + i);
		fixture_put(&f, ring,
			    (uint64_t[]){ record_word(fixture_ticks(&f), RECORD_IN_BLOCK), wrong[i],
					  1, 2, 3, 4, 5 },
			    7);
	}
	ring = fixture_add_ring(&f, 7, 0, 99);
	fixture_put(
		&f, ring,
		(uint64_t[]){ record_word(fixture_ticks(&f), RECORD_IN_BLOCK), NUMBER(io, 0), 1 },
		3);
	finish();
	assert_int_equal(content_count(&content, EVT_probe_call), 0);
	assert_int_equal(content_count(&content, EVT_lost), 1 + sizeof(wrong) / sizeof(wrong[0]));
}
