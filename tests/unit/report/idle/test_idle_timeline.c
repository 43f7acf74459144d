/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/idle/timeline.c, open_gaps.c: scopes, calls within each other, looks, what is forgotten;
 * sums of open gaps.
 */
#include "tests/unit/unit.h"

#include "report/idle/open_gaps.h"
#include "report/idle/timeline.h"

static struct timelines lines;
static char text[512];

static void take(void *state, uint32_t key, uint64_t from_ns, uint64_t to_ns)
{
	size_t used = strlen(text);

	snprintf(text + used, sizeof(text) - used, "%s%u:%u-%u", used ? " " : "", key,
		 (unsigned int)from_ns, (unsigned int)to_ns);
}

static const char *between(uint32_t thread, uint64_t from_ns, uint64_t to_ns)
{
	text[0] = '\0';
	timelines_each(&lines, thread, from_ns, to_ns, take, NULL);
	return text;
}

static void release(void)
{
	timelines_release(&lines);
	lines = (struct timelines){ .room = 0 };
}

TEST(scopes_hold_until_the_next)
{
	timelines_put_scope(&lines, 3, 100, 1);
	timelines_put_scope(&lines, 3, 200, 2);
	timelines_put_scope(&lines, 3, 300, 2);
	timelines_put_scope(&lines, 3, 400, 0);
	timelines_put_scope(&lines, 3, 500, 7);
	assert_string_equal(between(3, 0, 1000),
			    "0:0-100 1:100-200 2:200-400 0:400-500 7:500-1000");
	assert_string_equal(between(3, 150, 350), "1:150-200 2:200-350");
	assert_string_equal(between(3, 600, 700), "7:600-700");
	assert_string_equal(between(3, 10, 20), "0:10-20");
	assert_string_equal(between(0, 10, 20), "0:10-20");
	assert_string_equal(between(99, 10, 20), "0:10-20");
	assert_string_equal(between(3, 150, 150), "");
	release();
}

TEST(the_innermost_of_calls_and_scopes_counts)
{
	timelines_put_scope(&lines, 0, 100, 1);
	timelines_put_call(&lines, 0, 120, 140, 5); /* within the next */
	timelines_put_call(&lines, 0, 110, 180, 6);
	timelines_put_scope(&lines, 0, 200, 2);
	timelines_put_scope(&lines, 0, 210, 1);
	timelines_put_call(&lines, 0, 190, 220, 8); /* a scope is within it */
	assert_string_equal(between(0, 100, 230),
			    "1:100-110 6:110-120 5:120-140 6:140-180 "
			    "1:180-190 8:190-200 2:200-210 8:210-220 1:220-230");
	timelines_put_call(&lines, 0, 230, 230, 9); /* took no time */
	assert_string_equal(between(0, 220, 240), "1:220-240");
	release();
}

/* A thread that is first seen within a call; one that began before anything is kept. */
TEST(a_call_may_have_begun_before_all_that_is_known)
{
	timelines_put_call(&lines, 0, 120, 140, 5);
	timelines_put_call(&lines, 0, 100, 150, 6);
	assert_string_equal(between(0, 90, 160),
			    "0:90-100 6:100-120 5:120-140 6:140-150 0:150-160");
	timelines_forget(&lines, 145);
	timelines_put_call(&lines, 0, 50, 200, 7);
	assert_string_equal(between(0, 90, 210), "0:90-145 6:145-150 7:150-200 0:200-210");
	release();
}

TEST(a_look_counts_where_it_was_made_or_between_two_of_the_same)
{
	timelines_put_look(&lines, 0, 100, 120, 1);
	timelines_put_look(&lines, 0, 120, 140, 2);
	timelines_put_look(&lines, 0, 140, 160, 2);
	timelines_put_look(&lines, 0, 200, 220, 2); /* nobody looked from 160 on */
	assert_string_equal(between(0, 90, 230),
			    "0:90-100 1:100-120 2:120-160 0:160-200 2:200-220 0:220-230");
	assert_string_equal(between(0, 105, 110), "0:105-110"); /* no look in it */
	assert_string_equal(between(0, 105, 125), "1:105-120 0:120-125");
	assert_string_equal(between(0, 145, 155), "2:145-155"); /* seen at 140 and at 160 */
	assert_string_equal(between(0, 205, 210), "0:205-210");
	release();
}

TEST(what_is_forgotten_is_not_known)
{
	for (uint64_t i = 0; i < 1000; i++)
		timelines_put_scope(&lines, 0, 100 * i, 1 + i % 2);
	assert_int_equal(lines.pieces, 999);
	timelines_forget(&lines, 99850);
	assert_string_equal(between(0, 99700, 100000),
			    "0:99700-99850 1:99850-99900 2:99900-100000");
	assert_int_equal(lines.pieces, 1);
	timelines_forget(&lines, 200000);
	assert_int_equal(lines.pieces, 0);
	assert_string_equal(between(0, 199999, 200001), "0:199999-200000 2:200000-200001");
	timelines_put_scope(&lines, 0, 300000, 4);
	assert_string_equal(between(0, 200000, 300001), "2:200000-300000 4:300000-300001");
	release();
}

TEST(open_gaps_keep_sums_of_their_latest_beginning)
{
	struct open_gaps gaps;
	struct open_gap *gap;
	const struct open_gap_part *part;

	open_gaps_init(&gaps);
	gap = open_gaps_put(&gaps, 2, 0, 100);
	for (uint32_t i = 0; i < 6; i++)
		open_gap_add(&gaps, gap, i % 3, 10 + i);
	open_gaps_put(&gaps, 2, 1, 100);
	gap = open_gaps_put(&gaps, 2, 0, 100);
	assert_int_equal(gap->to_ns, 100);
	part = open_gap_next(&gaps, gap, NULL);
	assert_int_equal(part->key, 2);
	assert_int_equal(part->count, 2);
	assert_int_equal(part->total_ns, 12 + 15);
	assert_int_equal(part->max_ns, 15);
	part = open_gap_next(&gaps, gap, open_gap_next(&gaps, gap, part));
	assert_int_equal(part->key, 0);
	assert_null(open_gap_next(&gaps, gap, part));
	assert_null(open_gaps_find(&gaps, 2, 0, 99));
	assert_null(open_gaps_find(&gaps, 1, 0, 100));
	assert_null(open_gap_next(&gaps, open_gaps_find(&gaps, 2, 1, 100), NULL));
	gap = open_gaps_put(&gaps, 2, 0, 500);
	assert_null(open_gap_next(&gaps, gap, NULL));
	assert_null(open_gaps_find(&gaps, 2, 0, 100));
	for (uint32_t i = 0; i < 3; i++)
		open_gap_add(&gaps, gap, i, 1);
	assert_int_equal(gaps.part_count, 3); /* the old ones */
	open_gaps_release(&gaps);
}
