/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/scopes/cover.c: each moment of a place counts once, however many scopes are open. */
#include "tests/unit/unit.h"
#include "report/scopes/cover.h"

enum { ALL, A, B };

static struct cover cover;

TEST(overlaps_count_once)
{
	cover_init(&cover);
	cover_begin(&cover, A, 0, 10);
	cover_begin(&cover, A, 0, 20); /* inside */
	cover_end(&cover, A, 0, 30, true);
	cover_begin(&cover, A, 0, 35); /* and one that goes on */
	cover_end(&cover, A, 0, 40, true);
	cover_end(&cover, A, 0, 50, true);
	assert_int_equal(cover_ns(&cover, A), 40);
	cover_begin(&cover, A, 0, 60);
	cover_end(&cover, A, 0, 65, true);
	assert_int_equal(cover_ns(&cover, A), 45);
	assert_int_equal(cover_ns(&cover, B), 0);
	cover_release(&cover);
}

TEST(places_add_up)
{
	cover_init(&cover);
	for (uint32_t place = 0; place < 100; place++)
		cover_begin(&cover, A, place, 0);
	for (uint32_t place = 0; place < 100; place++)
		cover_end(&cover, A, place, 10, true);
	cover_begin(&cover, B, 7, 0);
	cover_end(&cover, B, 7, 3, true);
	assert_int_equal(cover_ns(&cover, A), 1000);
	cover_join(&cover, A, B);
	assert_int_equal(cover_ns(&cover, A), 1003);
	cover_release(&cover);
}

TEST(what_runs_on_adds_nothing)
{
	cover_init(&cover);
	cover_begin(&cover, A, 0, 10);
	cover_end(&cover, A, 0, 90, false);
	cover_end(&cover, A, 0, 95, true); /* of nothing */
	assert_int_equal(cover_ns(&cover, A), 0);
	cover_begin(&cover, A, 0, 100);
	cover_end(&cover, A, 0, 99, true); /* the file's times go backwards */
	assert_int_equal(cover_ns(&cover, A), 0);
	cover_release(&cover);
}
