/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/gpu: time by kinds of work in any order, also cut at edges; scopes of calls, whatever
 * begins and ends.
 */

#include "tests/unit/unit.h"

#include "collector/gpu/contexts.h"
#include "collector/gpu/cover.h"

#define SPAN 20000u

static uint64_t random_state = 7;

static uint64_t random_next(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return random_state >> 33;
}

TEST(time_by_kinds_is_exact)
{
	static uint8_t kinds[SPAN];
	struct cover cover = { 0 };
	uint64_t half[COVER_MASKS] = { 0 }, whole[COVER_MASKS] = { 0 };

	for (unsigned int i = 0; i < 3000; i++) {
		uint64_t start = random_next() % (SPAN - 20), end = start + random_next() % 9;
		enum cover_kind kind = (enum cover_kind)(random_next() % COVER_KINDS);

		cover_add(&cover, kind, start, end);
		for (uint64_t at = start; at < end; at++)
			kinds[at] |= (uint8_t)(1u << kind);
	}
	for (unsigned int i = 0; i < SPAN; i++) {
		whole[kinds[i]]++;
		if (i < SPAN / 2)
			half[kinds[i]]++;
	}
	cover_sweep(&cover, SPAN / 2);
	for (unsigned int mask = 1; mask < COVER_MASKS; mask++)
		assert_true(cover.mask_ns[mask] == half[mask]);
	cover_sweep(&cover, UINT64_MAX);
	for (unsigned int mask = 1; mask < COVER_MASKS; mask++)
		assert_true(cover.mask_ns[mask] == whole[mask]);
	assert_true(cover_ns(cover.mask_ns, 1, 2) ==
		    whole[1] + whole[1 | 4] + whole[1 | 8] + whole[1 | 4 | 8]);
	assert_int_equal(cover.late, 0);
	cover_add(&cover, COVER_COPY, 3, 5);
	assert_int_equal(cover.late, 1);
	cover_release(&cover);
}

TEST(cover_is_bounded)
{
	struct cover cover = { 0 };

	for (uint64_t i = 0; i < 5 * COVER_PIECES_MAX; i++)
		cover_add(&cover, COVER_KERNEL, 10 * (i ^ 1), 10 * (i ^ 1) + 4);
	assert_true(cover.room <= COVER_PIECES_MAX);
	cover_sweep(&cover, UINT64_MAX);
	assert_true(cover.mask_ns[1] > 19ull * COVER_PIECES_MAX);
	assert_true(cover.mask_ns[1] <= 20ull * COVER_PIECES_MAX);
	cover_release(&cover);
}

static struct contexts contexts;
static struct journal journal;

static void take(uint32_t id, uint64_t first, uint64_t function)
{
	uint64_t value[EVT_WORDS_MAX] = { first };

	if (id == EVT_torch_begin_id)
		((struct evt_torch_begin_id *)(void *)value)->function = function;
	if (id == EVT_torch_end_id)
		((struct evt_torch_end_id *)(void *)value)->function = function;
	contexts_take(&contexts, &(struct context_place){ 0, 1, 9 }, id, 1, value);
}

static uint32_t scope_at(uint64_t correlation)
{
	const struct context_call *call;

	contexts_note_call(&contexts, &journal, &(struct context_place){ 0, 1, 9 }, 3, correlation);
	call = contexts_find(&contexts, 9, correlation);
	assert_non_null(call);
	assert_int_equal(call->ns, 3);
	assert_null(contexts_find(&contexts, 8, correlation));
	return call->scope;
}

TEST(scopes_are_chains_of_names)
{
	uint32_t outer, inner;

	assert_int_equal(contexts_init(&contexts, 1), 0);
	journal_init(&journal);
	assert_int_equal(scope_at(1), 0);
	take(EVT_torch_begin, 5, 0);
	outer = scope_at(2);
	take(EVT_torch_begin_id, 6, 77);
	inner = scope_at(3);
	assert_true(outer && inner && outer != inner);
	assert_int_equal(journal.event[1].value[1], outer);
	take(EVT_torch_end, 0, 0); /* not the label, although it is the innermost */
	assert_int_not_equal(scope_at(4), inner);
	take(EVT_torch_end_id, 6, 77);
	assert_int_equal(scope_at(5), 0);
	take(EVT_torch_begin, 5, 0);
	assert_int_equal(scope_at(6), outer);
	take(EVT_torch_end, 0, 0);
	take(EVT_torch_end, 0, 0); /* one too many */
	take(EVT_torch_end_outer, UINT64_MAX, 0);
	for (uint64_t i = 0; i < 3 * CONTEXT_DEPTH; i++)
		take(EVT_torch_begin, 5, 0);
	scope_at(7);
	for (uint64_t i = 0; i < 3 * CONTEXT_DEPTH; i++)
		take(EVT_torch_end, 0, 0);
	assert_int_equal(scope_at(8), 0);
	for (uint64_t i = 0; i < 100000; i++)
		take((uint32_t)(EVT_torch_begin_id + random_next() % 5), random_next() % 99,
		     random_next() % 5);
	for (uint64_t i = 0; i < 3ull * SCOPES_MAX; i++) {
		take(EVT_capture_stop, 0, 0);
		take(EVT_torch_begin, i, 0);
		scope_at(i + 10);
	}
	assert_int_equal(contexts.scopes, SCOPES_MAX);
	contexts_release(&contexts);
	journal_release(&journal);
}
