/* SPDX-License-Identifier: MIT */
/*
 * What stands on a stream: scopes end by key, by identity, in the middle, and by a cut; what holds
 * is replaced.
 */
/* links: collector */

#include "tests/unit/unit.h"

#include "collector/drain/standing.h"

static struct standing standing;
static struct standing_list shared;
static uint64_t now_ns;

static int standing_setup(void **state)
{
	standing_release(&standing);
	standing_list_release(&shared);
	return 0;
}

static void take_words(uint32_t id, const uint64_t *value)
{
	standing_take(&standing, &shared, &(struct standing_event){ 1, 7, id, ++now_ns, value });
}

#define TAKE(event, ...) take_words(EVT_##event, (const uint64_t[EVT_FIELDS_MAX]){ __VA_ARGS__ })

TEST_SET_UP(pops_end_the_innermost_of_their_domain, standing_setup)
{
	TAKE(nvtx_push, 0, 1);
	TAKE(nvtx_push, 9, 2);
	TAKE(nvtx_pop, 0);
	assert_int_equal(standing.list.count, 1);
	assert_int_equal(standing.list.entry[0].value[1], 2);
	TAKE(nvtx_pop, 0);
	assert_int_equal(standing.list.count, 1);
	TAKE(nvtx_pop, 9);
	assert_int_equal(standing.list.count, 0);
}

TEST_SET_UP(operators_end_by_place_or_by_identity, standing_setup)
{
	TAKE(torch_begin, 1);
	TAKE(torch_begin, 2);
	TAKE(torch_begin_id, 3, 7, 0, 0, 0, 0x1000, 0);
	TAKE(torch_end_outer, 1);
	assert_int_equal(standing.list.count, 1);
	assert_int_equal(standing.list.entry[0].value[0], 2);
	TAKE(torch_end_id, 3, 0, 0x2000, 0);
	assert_int_equal(shared.count, 1);
	TAKE(torch_end_id, 3, 0, 0x1000, 0);
	assert_int_equal(shared.count, 0);
	TAKE(torch_end, 0);
	assert_int_equal(standing.list.count, 0);
	TAKE(torch_end, 0); /* one that began before anything was recorded */
}

TEST_SET_UP(a_step_follows_a_step, standing_setup)
{
	TAKE(step, 4, 1);
	TAKE(step, 5, 1);
	assert_int_equal(shared.count, 1);
	assert_int_equal(shared.entry[0].value[0], 5);
	standing_drop_process(&shared, 7);
	assert_int_equal(shared.count, 0);
}

TEST_SET_UP(what_holds_survives_a_cut, standing_setup)
{
	TAKE(fact, 1, 2, 0);
	TAKE(fact, 3, 4, 0);
	TAKE(fact, 1, 5, 0);
	TAKE(nvtx_push, 0, 1);
	assert_int_equal(standing.list.count, 3);
	standing_cut(&standing);
	assert_int_equal(standing.list.count, 2);
	assert_int_equal(standing.list.entry[1].value[1], 5);
}

/* Deeper than what is kept: the ends of those that are not there end nothing else. */
TEST_SET_UP(scopes_without_room_are_counted, standing_setup)
{
	for (unsigned int i = 0; i < STANDING_MAX + 10; i++)
		TAKE(nvtx_push, 0, i);
	assert_int_equal(standing.list.count, STANDING_MAX);
	assert_int_equal(standing.beyond, 10);
	for (unsigned int i = 0; i < 11; i++)
		TAKE(nvtx_pop, 0);
	assert_int_equal(standing.list.count, STANDING_MAX - 1);
}
