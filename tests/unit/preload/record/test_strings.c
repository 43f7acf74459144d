/* SPDX-License-Identifier: MIT */
/* links: preload:record/strings.c */
/*
 * preload/record/strings.c: hashes, pieces, the cache. The lane is a plain array; nobody reads it
 * meanwhile.
 */
#include "tests/unit/plain_clock.h"
#include "tests/unit/unit.h"
#include "preload/record/strings.h"

#define WORDS 32768u

uint64_t recorder_base;
union recorder_page recorder_page;

static uint64_t words[WORDS];
static struct region_ring ring;
static struct recorder_lane lane;

/* Called when the lane is full: then it stays so. */
bool recorder_make_room(struct recorder_lane *full, unsigned int count)
{
	(void)full;
	(void)count;
	return false;
}

static void lane_reset(uint64_t room)
{
	memset(words, 0, sizeof(words));
	lane = (struct recorder_lane){
		.words = words, .limit = room, .mask = WORDS - 1, .ring = &ring
	};
	strings_forget();
}

/* The pieces of the one string in the lane, joined; returns its length. */
static size_t lane_read(char *text, uint64_t hash)
{
	size_t length = 0;

	for (uint64_t at = 0; at < lane.head; at += RECORD_PIECE_WORDS) {
		uint32_t offset = (uint32_t)words[at + 2];

		length = words[at + 2] >> 32;
		assert_int_equal(record_type(words[at]), RECORD_TEXT);
		assert_true(words[at + 1] == hash);
		assert_int_equal(offset, at / RECORD_PIECE_WORDS * RECORD_TEXT_BYTES);
		memcpy(text + offset, &words[at + 3], RECORD_TEXT_BYTES);
	}
	return length;
}

TEST(empty_strings_are_zero)
{
	struct string s;

	lane_reset(WORDS);
	s = string_of(NULL);
	assert_int_equal(string_id(&s, &lane), 0);
	s = string_of("");
	assert_int_equal(string_id(&s, &lane), 0);
	s = string_of_wide(NULL);
	assert_int_equal(string_id(&s, &lane), 0);
	s = string_of_wide(L"");
	assert_int_equal(string_id(&s, &lane), 0);
	assert_int_equal(lane.head, 0);
}

TEST(a_hash_is_xxh3)
{
	/* XXH3_64bits("abc") as the xxhsum program prints it */
	assert_true(string_hash("abc", 3) == 0x78af5f94892f3950ull);
}

TEST(a_text_is_sent_once)
{
	char text[RECORD_TEXT_BYTES];
	struct string s = string_of("forward");

	lane_reset(WORDS);
	assert_true(string_id(&s, &lane) == string_hash("forward", 7));
	(void)string_id(&s, &lane);
	assert_int_equal(lane.head, RECORD_PIECE_WORDS);
	assert_int_equal(lane_read(text, s.hash), 7);
	assert_memory_equal(text, "forward", 7);
	strings_forget();
	(void)string_id(&s, &lane);
	assert_int_equal(lane.head, 2 * RECORD_PIECE_WORDS);
}

TEST(a_dropped_text_is_sent_again)
{
	char text[256];
	char longer[200];
	struct string s;

	memset(longer, 'x', sizeof(longer));
	s = string_of_bytes(longer, sizeof(longer));
	lane_reset(RECORD_PIECE_WORDS);
	(void)string_id(&s, &lane);
	assert_int_equal(lane.head, RECORD_PIECE_WORDS);
	lane.head = 0;
	lane.limit = WORDS;
	(void)string_id(&s, &lane);
	assert_int_equal(lane_read(text, s.hash), sizeof(longer));
	assert_memory_equal(text, longer, sizeof(longer));
}

/* An object that names itself, as an operator's schema does. */
static uint64_t id_of(const void *owner, const char *text)
{
	return string_id_of(owner, (struct string_view){ text, strlen(text) }, &lane);
}

TEST(an_owner_is_asked_for_its_text_anew)
{
	static const char *const names[] = { "aten::addmm",
					     "aten::bddmm",
					     "12345678",
					     "a name of 24 characters.",
					     "a name of 25 characters..",
					     "a name of 25 charActers.." };
	uint64_t owner[64];

	lane_reset(WORDS);
	for (unsigned int turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			for (unsigned int again = 0; again < 2; again++)
				assert_true(id_of(owner, names[i]) ==
					    string_hash(names[i], strlen(names[i])));
	/* each text once, whoever asks */
	assert_true(id_of(&owner[32], names[0]) == string_hash(names[0], strlen(names[0])));
	assert_int_equal(lane.head, sizeof(names) / sizeof(names[0]) * RECORD_PIECE_WORDS);
	strings_forget();
	(void)id_of(owner, names[0]);
	assert_int_equal(lane.head, (sizeof(names) / sizeof(names[0]) + 1) * RECORD_PIECE_WORDS);
}

TEST(an_owner_of_a_dropped_text_sends_it_again)
{
	uint64_t owner[1];

	lane_reset(0);
	(void)id_of(owner, "aten::add");
	assert_int_equal(lane.head, 0);
	lane.limit = WORDS;
	(void)id_of(owner, "aten::add");
	assert_int_equal(lane.head, RECORD_PIECE_WORDS);
}

TEST(one_that_comes_again_is_sent_once)
{
	struct string s = string_of("AddmmBackward0"), other = string_of("MulBackward0");

	lane_reset(0);
	assert_true(string_id_again(&s, &lane) == s.hash);
	assert_int_equal(lane.head, 0); /* dropped */
	lane.limit = WORDS;
	for (unsigned int i = 0; i < 3; i++) {
		assert_true(string_id_again(&s, &lane) == s.hash);
		assert_int_equal(lane.head, RECORD_PIECE_WORDS);
	}
	assert_true(string_id_again(&other, &lane) == other.hash);
	assert_int_equal(lane.head, 2 * RECORD_PIECE_WORDS);
	strings_forget();
	assert_true(string_id_again(&s, &lane) == s.hash);
	assert_int_equal(lane.head, 3 * RECORD_PIECE_WORDS);
}

TEST(long_texts_are_cut)
{
	static char text[RECORD_TEXT_MAX + 10], got[RECORD_TEXT_MAX + 64];
	struct string s;

	memset(text, 'y', sizeof(text) - 1);
	s = string_of(text);
	lane_reset(WORDS);
	assert_true(string_id(&s, &lane) == string_hash(text, RECORD_TEXT_MAX));
	assert_int_equal(lane_read(got, s.hash), RECORD_TEXT_MAX);
	assert_memory_equal(got, text, RECORD_TEXT_MAX);
}

TEST(wide_texts_are_utf8)
{
	static const char utf8[] = "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd";
	const wchar_t wide[] = { 'g', 'r', 0xfc, 0xdf, ' ', 0x20ac, ' ', 0x1f600, ' ', 0xd800, 0 };
	struct string s = string_of_wide(wide);
	char text[RECORD_TEXT_BYTES];

	assert_int_equal(s.length, sizeof(utf8) - 1);
	assert_true(s.hash == string_hash(utf8, sizeof(utf8) - 1));
	lane_reset(WORDS);
	(void)string_id(&s, &lane);
	assert_int_equal(lane_read(text, s.hash), sizeof(utf8) - 1);
	assert_memory_equal(text, utf8, sizeof(utf8) - 1);
	assert_int_equal(string_copy(&s, text, sizeof(text)), sizeof(utf8) - 1);
	assert_memory_equal(text, utf8, sizeof(utf8) - 1);
}

/* Three bytes a character: pieces of 64 bytes end inside characters. */
TEST(long_wide_texts_are_cut_at_a_character)
{
	static wchar_t wide[RECORD_TEXT_MAX];
	static char got[RECORD_TEXT_MAX + 64], narrow[RECORD_TEXT_MAX];
	struct string s;

	for (size_t i = 0; i < RECORD_TEXT_MAX - 1; i++)
		wide[i] = 0x20ac;
	s = string_of_wide(wide);
	assert_int_equal(s.length, RECORD_TEXT_MAX / 3 * 3);
	assert_int_equal(string_copy(&s, narrow, sizeof(narrow)), s.length);
	assert_true(s.hash == string_hash(narrow, s.length));
	lane_reset(WORDS);
	(void)string_id(&s, &lane);
	assert_int_equal(lane_read(got, s.hash), s.length);
	assert_memory_equal(got, narrow, s.length);
}
