/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * report/base/units.c, report/base/text.c: numbers as people read and write them, names that are
 * safe to show.
 */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "report/base/shell_word.h"
#include "report/base/text.h"
#include "report/base/units.h"

TEST(times_have_three_digits)
{
	char text[UNIT_TEXT_BYTES];

	assert_string_equal(unit_format_ns(text, 0), "0 ns");
	assert_string_equal(unit_format_ns(text, 999), "999 ns");
	assert_string_equal(unit_format_ns(text, 1000), "1.00 us");
	assert_string_equal(unit_format_ns(text, 999499), "999 us");
	assert_string_equal(unit_format_ns(text, 999500), "1.00 ms");
	assert_string_equal(unit_format_ns(text, 1234567), "1.23 ms");
	assert_string_equal(unit_format_ns(text, 99950000), "100 ms");
	assert_string_equal(unit_format_ns(text, 59700000000), "59.7 s");
	assert_string_equal(unit_format_ns(text, 90000000000), "90.0 s");
	assert_string_equal(unit_format_ns(text, 600000000000), "10.0 min");
	assert_string_equal(unit_format_ns(text, 7200000000000), "2.00 h");
	assert_string_equal(unit_format_ns(text, UINT64_MAX), "5124096 h");
}

TEST(bytes_and_counts)
{
	char text[UNIT_TEXT_BYTES];

	assert_string_equal(unit_format_bytes(text, 1023), "1023 B");
	assert_string_equal(unit_format_bytes(text, 1536), "1.50 KiB");
	assert_string_equal(unit_format_bytes(text, 4718592), "4.50 MiB");
	assert_string_equal(unit_format_bytes(text, (1u << 20) - 1), "1.00 MiB");
	assert_string_equal(unit_format_count(text, 0), "0");
	assert_string_equal(unit_format_count(text, 1234567), "1,234,567");
	assert_string_equal(unit_format_count(text, UINT64_MAX), "18,446,744,073,709,551,615");
	assert_string_equal(unit_format_percent(text, 12.34), "12.3 %");
	assert_string_equal(unit_format_percent(text, 0.01), "<0.1 %");
	assert_string_equal(unit_format(text, UNIT_CLASS, 2048), "up to 2 KiB");
	assert_string_equal(unit_format(text, UNIT_CLASS, 0), "0 B");
	assert_string_equal(unit_format(text, UNIT_AMOUNT, 12), "12");
	assert_string_equal(unit_format(text, UNIT_AMOUNT, 1234567890), "1.23 G");
	assert_string_equal(unit_format_signed(text, UNIT_BYTES, -1536), "-1.50 KiB");
	assert_string_equal(unit_format_signed(text, UNIT_BYTES, 1536), "1.50 KiB");
	assert_string_equal(unit_format_signed(text, UNIT_NS, INT64_MIN), "-2562048 h");
}

TEST(seconds_have_five_digits)
{
	char text[UNIT_TEXT_BYTES];

	assert_string_equal(unit_format(text, UNIT_SECONDS, 0), "0.0");
	assert_string_equal(unit_format(text, UNIT_SECONDS, 1644), "1.644e-06");
	assert_string_equal(unit_format(text, UNIT_SECONDS, 2250649), "0.0022506");
	assert_string_equal(unit_format(text, UNIT_SECONDS, 6155812345), "6.1558");
	assert_string_equal(unit_format(text, UNIT_SECONDS, 60000000000), "60.0");
	assert_string_equal(unit_format(text, UNIT_SECONDS, 9999940000000), "9999.9");
	assert_string_equal(unit_format(text, UNIT_SECONDS, 9999960000000), "10000");
	assert_string_equal(unit_format(text, UNIT_SECONDS, 1234567890000000), "1234568");
	assert_string_equal(unit_format(text, UNIT_SECONDS, UINT64_MAX), "18446744074");
}

static double parsed(const char *text, enum unit unit)
{
	double value = -1;

	return unit_parse(text, strlen(text), unit, &value) ? -1 : value;
}

TEST(numbers_are_read_with_their_units)
{
	assert_true(parsed("10MiB", UNIT_BYTES) == 10485760);
	assert_true(parsed("10 MB", UNIT_BYTES) == 1e7);
	assert_true(parsed("5ms", UNIT_NS) == 5e6);
	assert_true(parsed("1.5s", UNIT_NS) == 1.5e9);
	assert_true(parsed("1e6", UNIT_COUNT) == 1e6);
	assert_true(parsed("2k", UNIT_COUNT) == 2000);
	assert_true(parsed("50%", UNIT_PERCENT) == 50);
	assert_true(parsed("", UNIT_COUNT) == -1);
	assert_true(parsed("5ms", UNIT_BYTES) == -1);
	assert_true(parsed("nan", UNIT_COUNT) == -1);
	assert_true(parsed("0x10", UNIT_COUNT) == -1);
	assert_true(parsed("1e999", UNIT_COUNT) == -1);
	assert_true(parsed("1,5", UNIT_COUNT) == -1);
}

static const char *escaped(const char *text, size_t length)
{
	static char shown[256];

	text_escape(shown, sizeof(shown), text, length);
	return shown;
}

TEST(what_steers_a_terminal_is_written_out)
{
	assert_string_equal(escaped("a\nb\tc", 5), "a\\nb\\tc");
	assert_string_equal(escaped("\x1b[31m", 5), "\\x1b[31m");
	assert_string_equal(escaped("a\0b", 3), "a\\x00b");
	assert_string_equal(escaped("\xc2\x9b", 2), "\\u{9b}");
	assert_string_equal(escaped("\xe2\x80\xae", 3), "\\u{202e}");
	assert_string_equal(escaped("\xff\xc3", 2), "\\xff\\xc3");
	assert_string_equal(escaped("\xc0\x80", 2), "\\xc0\\x80");          /* overlong */
	assert_string_equal(escaped("\xed\xa0\x80", 3), "\\xed\\xa0\\x80"); /* surrogate */
	assert_string_equal(escaped("Z\xc3\xbcrich", 7), "Z\xc3\xbcrich");
}

/* Fillers, joiners, tags, separators: names that differ in these only would look alike. */
TEST(what_is_not_seen_is_written_out)
{
	static const uint32_t unseen[] = {
		0xad,   0x61c,  0x115f, 0x180e, 0x200b, 0x200d,  0x2028,
		0x2060, 0x3164, 0xfe0f, 0xfeff, 0xfff9, 0xe0061, 0xe01ef
	};
	static const uint32_t seen[] = {
		0x20, 0x7e, 0xe9, 0x301, 0x4e2d, 0xfffd, 0x1f600, 0x10ffff
	};

	assert_string_equal(escaped("a\xe2\x80\x8b"
				    "b",
				    5),
			    "a\\u{200b}b");
	assert_string_equal(escaped("\xf3\xa0\x81\xa1", 4), "\\u{e0061}");
	for (size_t i = 0; i < sizeof(unseen) / sizeof(unseen[0]); i++)
		assert_false(text_is_shown(unseen[i]));
	for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++)
		assert_true(text_is_shown(seen[i]));
}

TEST(without_utf8_only_ascii_is_shown)
{
	text_set_utf8(false);
	assert_string_equal(escaped("Z\xc3\xbcrich \xf0\x9f\x98\x80\xff", 13),
			    "Z\\u{fc}rich \\u{1f600}\\xff");
	text_set_utf8(true);
	assert_string_equal(escaped("Z\xc3\xbcrich", 7), "Z\xc3\xbcrich");
}

TEST(an_escaped_text_stays_as_it_is)
{
	char once[256];

	snprintf(once, sizeof(once), "%s", escaped("\x1b[31m\n\\\xff\xe2\x80\x8b", 11));
	assert_string_equal(escaped(once, strlen(once)), once);
}

static const char *word(const char *name)
{
	static char text[256];

	size_t length = shell_word(text, sizeof(text), name);

	assert_int_equal(length, strlen(text));
	return text;
}

TEST(a_name_is_one_word_of_a_shell)
{
	char small[8];

	assert_string_equal(word("dir/run.evt.1"), "dir/run.evt.1");
	assert_string_equal(word("caf\xc3\xa9.evt"), "caf\xc3\xa9.evt");
	assert_string_equal(word(""), "''");
	assert_string_equal(word("a b;id.evt"), "'a b;id.evt'");
	assert_string_equal(word("$(id)`id`*?"), "'$(id)`id`*?'");
	assert_string_equal(word("~/x"), "'~/x'");
	assert_string_equal(word("it's"), "'it'\\''s'");
	assert_string_equal(word("back\\slash"), "'back\\slash'");
	assert_string_equal(word("-n"), "./-n");
	assert_string_equal(word("- n"), "'./- n'");
	assert_string_equal(word("a\nb'c\\d!"), "$'a\\012b\\'c\\\\d\\041'");
	assert_string_equal(word("\xff\xe2\x80\x8b"
				 "1"),
			    "$'\\377\\342\\200\\2131'");
	assert_int_equal(shell_word(small, sizeof(small), "a;b"), 0);
}

TEST(escape_stays_within_its_room)
{
	char shown[8];

	for (size_t room = 1; room <= sizeof(shown); room++) {
		memset(shown, 'X', sizeof(shown));
		assert_true(text_escape(shown, room, "a\x1b\x1b", 3) < room);
		assert_true(strlen(shown) < room);
	}
}

TEST(width_counts_columns)
{
	assert_int_equal(text_width("abc", 3), 3);
	assert_int_equal(text_width("Z\xc3\xbcrich", 7), 6);
	assert_int_equal(text_width("\xe6\x97\xa5\xe6\x9c\xac", 6), 4); /* two wide characters */
	assert_int_equal(text_width("e\xcc\x81", 3), 1);        /* e and a combining accent */
	assert_int_equal(text_width("\xf0\x9f\x98\x80", 4), 2); /* an emoji */
}

TEST(code_is_shortened_at_its_end)
{
	char shown[64];

	assert_int_equal(text_shorten_end(shown, "abcdefghij", 10, 10, ".."), 10);
	assert_string_equal(shown, "abcdefghij");
	assert_int_equal(text_shorten_end(shown, "    /a/b(c)", 11, 8, ".."), 8);
	assert_string_equal(shown, "    /a..");
	text_shorten_end(shown, "abcdefghij", 10, 2, "..");
	assert_string_equal(shown, "ab");
	text_shorten_end(shown, "abc", 3, 0, "..");
	assert_string_equal(shown, "");
	text_shorten_end(shown, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 9, 4, "\xe2\x80\xa6");
	assert_string_equal(shown, "\xe6\x97\xa5\xe2\x80\xa6");
}

TEST(names_are_shortened_in_the_middle)
{
	char shown[64];

	text_shorten(shown, "abcdefghij", 10, 10, "..");
	assert_string_equal(shown, "abcdefghij");
	text_shorten(shown, "abcdefghij", 10, 7, "..");
	assert_string_equal(shown, "abc..ij");
	text_shorten(shown, "abcdefghij", 10, 2, "..");
	assert_string_equal(shown, "ab");
	text_shorten(shown, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5", 12, 5, ".");
	assert_true(text_width(shown, strlen(shown)) <= 5);
}

static const char *shortened_command(const char *command, size_t width)
{
	static char shown[64];
	size_t used = text_shorten_command(shown, command, strlen(command), width, "..");

	assert_int_equal(used, strlen(shown));
	return shown;
}

/*
 * Which program it is comes first. As a path, a command line would end as the name of its last
 * file.
 */
TEST(commands_keep_their_program)
{
	assert_string_equal(shortened_command("/usr/lib/cc1 -o /tmp/a.s", 24),
			    "/usr/lib/cc1 -o /tmp/a.s");
	assert_string_equal(shortened_command("/usr/lib/cc1 -o /tmp/a.s", 23), "cc1 -o /tmp/a.s");
	assert_string_equal(shortened_command("/usr/lib/cc1 -o /tmp/a.s", 12), "cc1 -..p/a.s");
	assert_string_equal(shortened_command("cat /a/file/of/somebody", 14), "cat /a..mebody");
	assert_string_equal(shortened_command("/usr/lib/", 6), "/u..b/");
	assert_string_equal(shortened_command("/a/b/ x", 5), "/a..x");
	assert_string_equal(shortened_command("", 5), "");
}

static const char *shortened(const char *stack, size_t width, bool beside)
{
	static char shown[128];

	text_shorten_stack(shown, stack, strlen(stack), width, "..", beside);
	assert_true(text_width(shown, strlen(shown)) <= width);
	return shown;
}

static const char *shortened_stack(const char *stack, size_t width)
{
	return shortened(stack, width, true);
}

/* What all of the row is about. */
TEST(stacks_keep_an_innermost_that_stands_nowhere_else)
{
	assert_string_equal(shortened("main;outer;inner", 15, false), "..;outer;inner");
	assert_string_equal(shortened("main;outer;inner", 13, false), "..;inner");
	assert_string_equal(shortened("main;outer;inner", 8, false), "..;inner");
	assert_string_equal(shortened("main;a_long_function", 12, false), "..;a_lo..ion");
	for (size_t width = 0; width < 20; width++)
		shortened("\xe6\x97\xa5\xe6\x9c\xac;\xe8\xaa\x9e;\xe6\x97\xa5;", width, false);
	for (size_t width = 0; width < 20; width++)
		shortened(";;main;;outer;", width, false);
}

TEST(stacks_keep_whole_frames_next_to_the_innermost)
{
	assert_string_equal(shortened_stack("main;outer;inner", 16), "main;outer;inner");
	assert_string_equal(shortened_stack("main;outer;inner", 15), "..;outer;inner");
	assert_string_equal(shortened_stack("main;outer;inner", 14), "..;outer;inner");
	/* the row has the innermost in a column of its own */
	assert_string_equal(shortened_stack("main;outer;inner", 13), "main;outer;..");
	assert_string_equal(shortened_stack("main;outer;inner", 12), "..;outer;..");
	assert_string_equal(shortened_stack("main;outer;inner", 10), "..;o..r;..");
	assert_string_equal(shortened_stack("main;a_long_function", 12), "main;..");
	assert_string_equal(shortened_stack("a_function_of_length", 10), "a_fu..ngth");
	assert_string_equal(shortened_stack(";;;;;;;;;;;;;;;;", 10), "..;;;;;;;;");
	for (size_t width = 0; width < 20; width++)
		shortened_stack("\xe6\x97\xa5\xe6\x9c\xac;\xe8\xaa\x9e;\xe6\x97\xa5;", width);
	for (size_t width = 0; width < 20; width++)
		shortened_stack(";;main;;outer;", width);
}

TEST(paths_lose_whole_folders_in_front)
{
	static const char path[] = "/usr/lib/python3/torch/nn/modules/linear.py";
	char shown[64];

	text_shorten(shown, path, strlen(path), 30, "\xe2\x80\xa6");
	assert_string_equal(shown, "\xe2\x80\xa6/torch/nn/modules/linear.py");
	text_shorten(shown, path, strlen(path), 28, "\xe2\x80\xa6");
	assert_string_equal(shown, "\xe2\x80\xa6/torch/nn/modules/linear.py");
	text_shorten(shown, path, strlen(path), 27, "\xe2\x80\xa6");
	assert_string_equal(shown, "\xe2\x80\xa6/nn/modules/linear.py");
	text_shorten(shown, path, strlen(path), 28, ".."); /* not "../", that is a folder */
	assert_string_equal(shown, ".../nn/modules/linear.py");
	text_shorten(shown, path, strlen(path), 43, "..");
	assert_string_equal(shown, path);
	text_shorten(shown, path, strlen(path), 9, ".."); /* the file's own name has no room */
	assert_string_equal(shown, "/usr...py");
	text_shorten(shown, "~/ab/cd/e.py", 12, 8, "..");
	assert_string_equal(shown, ".../e.py");
	text_shorten(shown, "../../ab/c", 10, 7, "..");
	assert_string_equal(shown, ".../c");
	text_shorten(shown, "at::add/x/y", 11, 8, ".."); /* no path */
	assert_string_equal(shown, "at:..x/y");
}

TEST(globs)
{
	assert_true(text_matches("conv2d", 6, "conv*", 5));
	assert_true(text_matches("conv2d", 6, "*v?d", 4));
	assert_true(text_matches("", 0, "*", 1));
	assert_false(text_matches("conv2d", 6, "conv", 4));
	assert_false(text_matches("conv2d", 6, "*x*", 3));
}

TEST(nearest_word)
{
	struct text_nearest nearest;

	text_nearest_init(&nearest, "formt");
	text_nearest_try(&nearest, "filter");
	text_nearest_try(&nearest, "format");
	assert_string_equal(nearest.best, "format");
	text_nearest_init(&nearest, "xyz");
	text_nearest_try(&nearest, "allocations");
	assert_null(nearest.best);
}
