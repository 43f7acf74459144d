/* SPDX-License-Identifier: MIT */
/* links: preload:pyframes/codes.c,stacks/pages.c,record/strings.c */
/*
 * preload/pyframes/codes.c: code objects made by hand, of each version's layout, right and hostile.
 */
#include "tests/unit/plain_clock.h"
#include "tests/unit/unit.h"

#include <sys/mman.h>

#include "preload/pyframes/codes.h"
#include "preload/settings/settings.h"
#include "preload/stacks/frame_names.h"
#include "tests/unit/python_layouts.h"

#define PAGE 4096u
#define NAME_AT 1024u
#define FILE_AT 2048u
#define TABLE_AT 3072u

/* What codes.c reaches of parts that are not under test; nothing here sends. */
struct settings settings;
struct frame_names frame_names;
uint64_t recorder_base;
union recorder_page recorder_page;
bool recorder_find_room(struct recorder_lane *lane, unsigned int words)
{
	(void)lane, (void)words;
	return false;
}
bool recorder_make_room(struct recorder_lane *lane, unsigned int words)
{
	(void)lane, (void)words;
	return false;
}

static char *
	memory; /* a page with a code object and what it names; behind it one that cannot be read */
static uint64_t type[16]; /* of code: its tp_dealloc is taken */
static const struct python_layout *layout;
static struct code_line line;

static void put(uint64_t at, uint64_t value, size_t bytes)
{
	memcpy(memory + at, &value, bytes);
}

static uint64_t address_of(uint64_t at)
{
	return (uint64_t)(uintptr_t)memory + at;
}

static void put_text(uint64_t at, const char *text)
{
	put(at + layout->text_length, strlen(text), 8);
	put(at + layout->text_state, 0x19u << layout->text_shift, 4);
	memcpy(memory + at + layout->ascii_data, text, strlen(text));
}

static void code_make(void)
{
	memset(memory, 0, PAGE);
	put(layout->object_type, (uint64_t)(uintptr_t)type, 8);
	put(layout->code_name, address_of(NAME_AT), 8);
	put(layout->code_file, address_of(FILE_AT), 8);
	put(layout->code_table, address_of(TABLE_AT), 8);
	put(layout->code_line, 41, 4);
	put_text(NAME_AT, "train");
	put_text(FILE_AT, "/home/u/train.py");
}

static bool read_at(uint64_t code)
{
	memset(&line, 0, sizeof(line));
	return code_read(code, layout->code_start ? code + layout->code_start - 2 : UINT32_MAX,
			 &line);
}

static bool is_read(void)
{
	return read_at(address_of(0));
}

static void each_version(void (*check)(void))
{
	for (unsigned int minor = 8; minor; minor = layout_next(minor)) {
		layout = layout_of(minor);
		assert_non_null(layout);
		assert_true(codes_begin(layout, type));
		code_make();
		check();
	}
}

static void good_one(void)
{
	assert_true(is_read());
	assert_int_equal(line.function_bytes, 5);
	assert_memory_equal(line.function, "train", 5);
	assert_int_equal(line.file_bytes, 16);
	assert_int_equal(line.first, 41);
	assert_int_equal(line.line, 41); /* before its first instruction */
}

TEST(one_is_read)
{
	each_version(good_one);
}

static void bad_addresses(void)
{
	const uint64_t bad[] = { 0,
				 8,
				 PAGE - 8,
				 address_of(1),
				 address_of(PAGE),
				 address_of(PAGE - 8),
				 1ull << 47,
				 UINT64_MAX - 7 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(read_at(bad[i]));
		put(layout->code_name, bad[i], 8);
		assert_false(is_read());
		code_make();
		put(layout->code_file, bad[i], 8);
		assert_false(is_read());
		code_make();
	}
	put(layout->object_type, (uint64_t)(uintptr_t)type + 8, 8);
	assert_false(is_read());
}

TEST(none_at_bad_addresses)
{
	each_version(bad_addresses);
}

static void bad_texts(void)
{
	put(NAME_AT + layout->text_length, UINT64_MAX, 8); /* runs into what cannot be read */
	assert_false(is_read());
	code_make();
	put(NAME_AT + layout->text_state, (3u | 1u << 3) << layout->text_shift,
	    4); /* characters of three bytes */
	assert_false(is_read());
	put(NAME_AT + layout->text_state, (1u | 1u << 4) << layout->text_shift,
	    4); /* not compact */
	assert_false(is_read());
	code_make();
	put(NAME_AT + layout->text_state, (2u | 1u << 3) << layout->text_shift,
	    4); /* wide ones become UTF-8 */
	put(NAME_AT + layout->text_length, 1, 8);
	put(NAME_AT + layout->wide_data, 0xe4, 2);
	assert_true(is_read());
	assert_int_equal(line.function_bytes, 2);
	assert_memory_equal(line.function, "\xc3\xa4", 2);
}

TEST(texts_are_checked)
{
	each_version(bad_texts);
}

static int make_memory(void **state)
{
	memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED || mprotect(memory + PAGE, PAGE, PROT_NONE);
}

TEST_GROUP(make_memory, NULL)
