/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/step_diff/step_match.c: parts of two steps side by side, as letters and brackets. */
#include "tests/unit/unit.h"
#include "report/step_diff/step_match.h"

#define PARTS 4096u

static struct step_part part[STEP_SIDES][PARTS];
static struct step_tracks tracks;
static char shown[4 * PARTS];

/* A letter is a part; brackets behind it have those inside. Returns the number after the level. */
static uint32_t parse(enum two_steps_side side, const char **text, uint32_t at, uint32_t depth)
{
	while (**text && **text != ')') {
		uint32_t mine = at++;

		part[side][mine] = (struct step_part){ .name = (uint32_t) * (*text)++,
						       .depth = depth };
		if (**text == '(') {
			++*text;
			at = parse(side, text, at, depth + 1);
			++*text;
		}
		part[side][mine].next = at;
	}
	return at;
}

static void give(enum two_steps_side side, const char *text)
{
	tracks.of[side].count = parse(side, &text, 0, 0);
	tracks.of[side].part = part[side];
}

/* "a" both have it, "+a" only the slow step, "-a" only the other one. */
static const char *matched(const char *typical, const char *slow)
{
	struct step_pairs pairs = { .count = 0 };
	char *to = shown;

	give(STEP_TYPICAL, typical);
	give(STEP_SLOW, slow);
	step_match(&pairs, &tracks);
	for (size_t i = 0; i < pairs.count; i++) {
		const uint32_t *at = pairs.pair[i].part;

		if (at[STEP_TYPICAL] == STEP_PART_NONE)
			*to++ = '+';
		else if (at[STEP_SLOW] == STEP_PART_NONE)
			*to++ = '-';
		*to++ = (char)(at[STEP_SLOW] != STEP_PART_NONE
				       ? part[STEP_SLOW][at[STEP_SLOW]].name
				       : part[STEP_TYPICAL][at[STEP_TYPICAL]].name);
	}
	*to = 0;
	step_pairs_release(&pairs);
	return shown;
}

TEST(equal_steps_match_part_by_part)
{
	assert_string_equal(matched("ab(cd)e", "ab(cd)e"), "abcde");
	assert_string_equal(matched("", ""), "");
}

TEST(what_one_step_has_alone_is_told)
{
	assert_string_equal(matched("abcde", "abxycde"), "ab+x+ycde");
	assert_string_equal(matched("abxycde", "abcde"), "ab-x-ycde");
	assert_string_equal(matched("abcde", "abcdexy"), "abcde+x+y");
	assert_string_equal(matched("", "ab"), "+a+b");
	assert_string_equal(matched("ab", ""), "-a-b");
}

TEST(levels_are_matched_by_themselves)
{
	assert_string_equal(matched("a(bcd)e", "a(bxcd)e"), "ab+xcde");
	assert_string_equal(matched("a(bc)de", "x(bc)a(bc)de"), "+x+b+cabcde");
	assert_string_equal(matched("a(b)", "a"), "a-b");
}

TEST(another_part_in_the_same_place_is_two)
{
	assert_string_equal(matched("abcde", "abxde"), "ab-c+xde");
	assert_string_equal(matched("abc", "xyz"), "-a+x-b+y-c+z");
}

/* More than are looked at nearby. */
TEST(a_long_stretch_is_passed_over)
{
	static char slow[2 * PARTS], wanted[4 * PARTS];
	char *to = slow, *want = wanted;

	*to++ = *want++ = 'a';
	for (unsigned int i = 0; i < 1000; i++) {
		*want++ = '+';
		*to++ = *want++ = (char)('m' + i % 7);
	}
	strcpy(to, "bcd");
	strcpy(want, "bcd");
	assert_string_equal(matched("abcd", slow), wanted);
}
