/* SPDX-License-Identifier: MIT */
/* links: collector */
/*
 * Stacks in rings: what frames are said to be, wherever and whenever, becomes the stacks of the
 * records that name them.
 */
#include "tests/unit/unit.h"
#include "tests/unit/collector_fixture.h"

#include "collector/format/frame_flags.h"
#include "collector/format/stack_table.h"
#include "collector/turn/epoch.h"

static void put_frame(struct region_ring *ring, uint64_t id, uint64_t parent, uint64_t address,
		      uint64_t flags)
{
	fixture_put(&f, ring,
		    (uint64_t[]){ record_word(fixture_ticks(&f), RECORD_FRAME), id, parent,
				  address | flags << RECORD_FRAME_SHIFT },
		    RECORD_FRAME_WORDS);
}

static void put_stack(struct region_ring *ring, uint64_t id)
{
	fixture_put(&f, ring, (uint64_t[]){ record_word(fixture_ticks(&f), RECORD_STACK), id },
		    RECORD_STACK_WORDS);
}

static void put_malloc(struct region_ring *ring, uint64_t id)
{
	fixture_put_malloc(&f, ring, 0x1000, 8, RECORD_STACK_BIT | id);
}

static void put_teardown(struct region_ring *ring)
{
	fixture_put(&f, ring, (uint64_t[]){ record_word(fixture_ticks(&f), EVT_teardown_begin), 0 },
		    2);
}

static const struct content_stack *stack_of(unsigned int id, size_t nth)
{
	const struct event *event = content_find(&content, id, nth);

	assert_non_null(event);
	return content.stack[event - content.event];
}

/* As many frames as the array has, innermost first. */
#define assert_stack(id, nth, ...)                                        \
	check_stack(stack_of(id, nth), (const uint64_t[]){ __VA_ARGS__ }, \
		    sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void check_stack(const struct content_stack *stack, const uint64_t *address, size_t count)
{
	assert_non_null(stack);
	assert_int_equal(stack->depth, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(stack->frame[i].address, address[i]);
}

static uint64_t caller_of(size_t nth)
{
	const struct event *event = content_find(&content, EVT_malloc, nth);

	assert_non_null(event);
	return EVENT_AS(malloc, event)->caller;
}

TEST_BOTH(heap_records_have_stacks, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);

	put_frame(ring, 1, 0, 0x401000, 0);
	put_frame(ring, 2, 1, 0x402000, FRAME_IS_EXACT);
	put_frame(ring, 3, 2, 0x403000, FRAME_IS_WRAPPER);
	put_malloc(ring, 3);
	fixture_put_malloc(&f, ring, 0x2000, 8, 0x404000);
	put_malloc(ring, 1);
	fixture_put_free(&f, ring, 0x1000);
	finish();
	assert_stack(EVT_malloc, 0, 0x403000, 0x402000, 0x401000);
	assert_int_equal(stack_of(EVT_malloc, 0)->frame[0].flags, FRAME_IS_WRAPPER);
	assert_int_equal(stack_of(EVT_malloc, 0)->frame[1].flags, FRAME_IS_EXACT);
	assert_int_equal(stack_of(EVT_malloc, 0)->frame[2].flags, 0);
	assert_int_equal(caller_of(0), 0x402000); /* who is no wrapper */
	assert_null(stack_of(EVT_malloc, 1));
	assert_int_equal(caller_of(1), 0x404000);
	assert_stack(EVT_malloc, 2, 0x401000);
	assert_null(stack_of(EVT_free, 0));
	assert_int_equal(content_count(&content, EVT_lost), 0);
}

/* Of the next record, whatever it is, and of no other. */
TEST_BOTH(a_stack_goes_before_its_record, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);

	put_frame(ring, 1, 0, 0x401000, 0);
	put_stack(ring, 1);
	put_teardown(ring);
	put_teardown(ring);
	put_stack(ring, 1);
	fixture_put_free(&f, ring, 0x1000);
	put_stack(ring, 9); /* the last one counts */
	put_stack(ring, 1);
	put_frame(ring, 2, 1, 0x402000, 0);
	fixture_put_malloc(&f, ring, 0x2000, 8, 0x404000);
	put_stack(ring, 2);
	fixture_put(&f, ring,
		    (uint64_t[]){ record_word(fixture_ticks(&f), EVT_map_anonymous), 0x1000, 4096,
				  3, 2, 0x405000 },
		    6);
	put_stack(ring, 9);
	fixture_put(&f, ring,
		    (uint64_t[]){ record_word(fixture_ticks(&f), EVT_map_anonymous), 0x1000, 4096,
				  3, 2, 0x405000 },
		    6);
	put_stack(ring, 2); /* of nothing */
	finish();
	assert_stack(EVT_teardown_begin, 0, 0x401000);
	assert_null(stack_of(EVT_teardown_begin, 1));
	assert_stack(EVT_free, 0, 0x401000);
	assert_stack(EVT_malloc, 0, 0x401000);
	assert_stack(EVT_map_anonymous, 0, 0x402000, 0x401000);
	assert_int_equal(
		EVENT_AS(map_anonymous, content_find(&content, EVT_map_anonymous, 0))->caller,
		0x402000);
	/* the stack is not known, the caller is */
	assert_null(stack_of(EVT_map_anonymous, 1));
	assert_int_equal(
		EVENT_AS(map_anonymous, content_find(&content, EVT_map_anonymous, 1))->caller,
		0x405000);
	assert_int_equal(content_lost(&content, EVT_LOST_STACK), 1);
}

/* One at a time, so that each turn ends between the two. */
TEST_BOTH(a_stack_waits_for_its_record, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);

	put_frame(ring, 1, 0, 0x401000, 0);
	put_stack(ring, 1);
	collector_turn(&c);
	epoch_close(&c, EPOCH_NOW);
	put_teardown(ring);
	put_teardown(ring);
	finish();
	assert_stack(EVT_teardown_begin, 0, 0x401000);
	assert_null(stack_of(EVT_teardown_begin, 1));
}

/*
 * Rings are drained one after the other; those of later turns lie before the definition, and after
 * it.
 */
TEST_BOTH(frames_may_be_defined_in_another_ring, setup, teardown)
{
	struct region_ring *first = fixture_add_ring(&f, 0, 0, 77);
	struct region_ring *second = fixture_add_ring(&f, 1, 0, 78);

	put_frame(second, 1, 0, 0x401000, 0);
	put_malloc(first, 2);
	put_frame(second, 2, 1, 0x402000, 0);
	collector_turn(&c);
	epoch_close(&c, EPOCH_NOW);
	put_malloc(second, 4);
	put_frame(first, 4, 3, 0x404000, 0);
	put_frame(second, 3, 2, 0x403000, 0);
	finish();
	assert_stack(EVT_malloc, 0, 0x402000, 0x401000);
	assert_stack(EVT_malloc, 1, 0x404000, 0x403000, 0x402000, 0x401000);
	assert_int_equal(content_count(&content, EVT_lost), 0);
}

/*
 * The record has been cut, the definition behind the cut is in the ring: it is found there, and
 * taken once more later.
 */
TEST_BOTH(frames_may_be_defined_behind_the_cut, setup, teardown)
{
	struct region_ring *first = fixture_add_ring(&f, 0, 0, 77);
	struct region_ring *second = fixture_add_ring(&f, 1, 0, 78);
	uint64_t later = fixture_ticks(&f) + 200000000; /* 200 ms */

	put_malloc(first, 2);
	fixture_put(&f, second, (uint64_t[]){ record_word(later, EVT_free), 0x1000 }, 2);
	put_frame(second, 1, 0, 0x401000, 0);
	fixture_put_text(&f, second, 11, "a name", 0);
	put_stack(second, 1);
	put_teardown(second);
	put_frame(second, 2, 1, 0x402000, 0);
	collector_turn(&c);
	epoch_close(&c, EPOCH_NOW);
	assert_true(atomic_load(&second->tail) != atomic_load(&second->head));
	finish();
	assert_stack(EVT_malloc, 0, 0x402000, 0x401000);
	assert_stack(EVT_teardown_begin, 0, 0x401000);
	assert_int_equal(content_count(&content, EVT_free), 1);
	assert_int_equal(content_count(&content, EVT_lost), 0);
}

TEST_BOTH(what_is_known_of_a_stack_stays, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);

	put_frame(ring, 3, 2, 0x403000, 0);
	put_frame(ring, 4, 3, 0x404000, 0);
	put_malloc(ring, 4);
	put_malloc(ring, 9);
	finish();
	assert_stack(EVT_malloc, 0, 0x404000, 0x403000);
	assert_int_equal(stack_of(EVT_malloc, 0)->frame[1].flags, FRAME_IS_TRUNCATED);
	assert_null(stack_of(EVT_malloc, 1));
	assert_int_equal(caller_of(1), 0);
	assert_int_equal(content_lost(&content, EVT_LOST_STACK), 2);
	assert_int_equal(content.end.lost, 0); /* no event is */
}

/* Two processes say the same; another says otherwise. */
TEST_BOTH(the_first_definition_holds, setup, teardown)
{
	struct region_ring *first = fixture_add_ring(&f, 0, 0, 77), *second;

	fixture_add_process(&f, 1, (uint32_t)getpid());
	second = fixture_add_ring(&f, 1, 1, 78);
	put_frame(first, 1, 0, 0x401000, 0);
	collector_turn(&c);
	epoch_close(&c, EPOCH_NOW);
	put_frame(second, 1, 0, 0x401000, 0);
	put_frame(second, 1, 0, 0x402000, 0);
	put_frame(second, 1, 0, 0x401000, FRAME_IS_EXACT);
	put_frame(second, 1, 2, 0x401000, 0);
	put_malloc(second, 1);
	put_malloc(first, 1);
	finish();
	assert_stack(EVT_malloc, 0, 0x401000);
	assert_stack(EVT_malloc, 1, 0x401000);
	assert_int_equal(content_lost(&content, EVT_LOST_STACK_ID), 3);
}

/* Circles of one and of three; they are cut, each frame stands in them once at most. */
TEST_BOTH(circles_are_cut, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);

	put_frame(ring, 1, 1, 0x401000, 0);
	put_frame(ring, 2, 4, 0x402000, 0);
	put_frame(ring, 3, 2, 0x403000, 0);
	put_frame(ring, 4, 3, 0x404000, 0);
	put_malloc(ring, 1);
	put_malloc(ring, 4);
	put_malloc(ring, 3);
	finish();
	assert_stack(EVT_malloc, 0, 0x401000);
	assert_stack(EVT_malloc, 1, 0x404000, 0x403000, 0x402000);
	assert_stack(EVT_malloc, 2, 0x403000, 0x402000);
	assert_int_equal(content_lost(&content, EVT_LOST_STACK), 2);
}

TEST_BOTH(stacks_have_a_greatest_depth, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);
	const uint64_t deep = 100000;

	collector_turn(&c);
	for (uint64_t i = 1; i <= deep; i++) {
		put_frame(ring, i, i - 1, 0x400000 + i, 0);
		if (i % 100 == 0)
			epoch_close(&c, EPOCH_NOW);
	}
	put_malloc(ring, deep);
	put_malloc(ring, deep - 1);
	finish();
	assert_int_equal(stack_of(EVT_malloc, 0)->depth, STACK_DEPTH_MAX);
	assert_int_equal(stack_of(EVT_malloc, 0)->frame[0].address, 0x400000 + deep);
	assert_int_equal(stack_of(EVT_malloc, 0)->frame[STACK_DEPTH_MAX - 1].flags,
			 FRAME_IS_TRUNCATED);
	assert_int_equal(stack_of(EVT_malloc, 1)->depth, STACK_DEPTH_MAX - 1);
	assert_int_equal(content_lost(&content, EVT_LOST_STACK), 1);
}

static void check_shuts(const uint64_t *record, unsigned int words)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);

	fixture_put(&f, ring, record, words);
	put_malloc(ring, 1);
	finish();
	assert_int_equal(content_count(&content, EVT_malloc), 0);
	assert_int_equal(content_lost(&content, EVT_LOST_SCRIBBLED), 1);
}

TEST_BOTH(frame_without_id_shuts_the_ring, setup, teardown)
{
	check_shuts((uint64_t[]){ RECORD_FRAME, 0, 0, 0x401000 }, 4);
}

TEST_BOTH(frame_with_long_id_shuts_the_ring, setup, teardown)
{
	check_shuts((uint64_t[]){ RECORD_FRAME, RECORD_STACK_BIT, 0, 0x401000 }, 4);
}

TEST_BOTH(frame_with_long_parent_shuts_the_ring, setup, teardown)
{
	check_shuts((uint64_t[]){ RECORD_FRAME, 1, UINT64_MAX, 0x401000 }, 4);
}

TEST_BOTH(stack_without_id_shuts_the_ring, setup, teardown)
{
	check_shuts((uint64_t[]){ RECORD_STACK, 0 }, 2);
}

TEST_BOTH(stack_with_long_id_shuts_the_ring, setup, teardown)
{
	check_shuts((uint64_t[]){ RECORD_STACK, RECORD_STACK_BIT | 1 }, 2);
}

/* The ring's end lies between a stack and its record. */
TEST_BOTH(pads_are_no_records, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);
	uint64_t words;

	fixture_words(&f, ring, &words);
	collector_turn(&c);
	put_frame(ring, 1, 0, 0x401000, 0);
	while ((atomic_load(&ring->head) & (words - 1)) != words - 4) {
		fixture_put_free(&f, ring, 0x1000);
		if (atomic_load(&ring->head) % 512 == 0)
			epoch_close(&c, EPOCH_NOW);
	}
	put_stack(ring, 1);
	fixture_put_malloc(&f, ring, 0x1000, 8, 0x402000);
	finish();
	assert_stack(EVT_malloc, 0, 0x401000);
	assert_int_equal(content_count(&content, EVT_lost), 0);
}
