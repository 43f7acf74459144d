/* SPDX-License-Identifier: MIT */
/*
 * What parts of a page may have: none takes what is kept for a later one, and all of it is there
 * for the last.
 */
/* links: report */
#include "tests/unit/unit.h"
#include "report/page/page_budget.h"

#define BYTES 2000000u

/* A greedy part leaves what is kept, and the sum is never above the whole. */
TEST(test_greedy)
{
	struct page_budget budget;
	uint64_t all = 0;

	page_budget_init(&budget, BYTES, true);
	for (unsigned int part = 0; part < PAGE_PARTS; part++) {
		uint64_t left;

		page_budget_begin(&budget, (enum page_part)part);
		left = page_budget_left(&budget);
		assert_true(left >= (BYTES - PAGE_BYTES_FRAME) / 64);
		page_budget_use(&budget, left);
		assert_int_equal(page_budget_left(&budget), 0);
		all += left;
	}
	assert_int_equal(all, BYTES - PAGE_BYTES_FRAME);
}

/* What a part does not use is there for the next; without a comparison nothing is kept for one. */
TEST(test_modest)
{
	struct page_budget budget;

	page_budget_init(&budget, BYTES, false);
	page_budget_begin(&budget, PAGE_TABLES);
	page_budget_use(&budget, 1000);
	page_budget_begin(&budget, PAGE_TIMELINE);
	assert_int_equal(page_budget_left(&budget), BYTES - PAGE_BYTES_FRAME - 1000);
}

/* Pieces leave those after them their least, or equal shares where even that is not there. */
TEST(test_pieces)
{
	struct page_budget budget;
	uint64_t left;

	page_budget_init(&budget, BYTES, false);
	page_budget_begin(&budget, PAGE_TIMELINE);
	left = page_budget_left(&budget);
	assert_int_equal(page_budget_room(&budget, 1), left);
	assert_int_equal(page_budget_room(&budget, 11), left - 10ull * PAGE_PIECE_LEAST);
	for (unsigned int pieces = 1000; pieces; pieces--) {
		uint64_t room = page_budget_room(&budget, pieces);

		assert_true(room >= left / 1000);
		page_budget_use(&budget, left / 1000);
	}
	assert_true(page_budget_left(&budget) < 1000);
	page_budget_use(&budget, UINT64_MAX);
	assert_int_equal(page_budget_left(&budget), 0);
	assert_int_equal(page_budget_room(&budget, 0), 0);
}

/* A limit that no page can keep is the least one. */
TEST(test_least)
{
	struct page_budget budget;

	page_budget_init(&budget, 0, false);
	page_budget_begin(&budget, PAGE_COMPARE);
	assert_int_equal(page_budget_left(&budget), PAGE_BYTES_LEAST - PAGE_BYTES_FRAME);
}
