/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/stacks/named_stacks.c: what stacks mean, what of them is folded, and names that mean harm.
 */
#include "tests/unit/unit.h"
#include "collector/format/frame_flags.h"
#include "tests/unit/report/stacks/stack_library.h"

#define HERE 0x10000000ull
#define THERE 0x20000000ull

static struct stack_library library;
static struct source source;
static struct stack_process one, two;
static struct named_stacks names;
static struct text_store texts;

static int make(void **state)
{
	stack_library_make(&library);
	return 0;
}

static int unmake(void **state)
{
	return unlink(library.path);
}

static int start(void **state)
{
	source = (struct source){ .file_count = 0 };
	stacks_init(&source.stacks);
	stack_process_init(&one, 0, &library, HERE);
	stack_process_init(&two, 1, &library, THERE);
	named_stacks_init(&names, &source, SYMBOLS_FULL);
	texts = (struct text_store){ .chunk = NULL };
	return 0;
}

static int stop(void **state)
{
	named_stacks_release(&names);
	stacks_release(&source.stacks);
	text_store_release(&texts);
	return 0;
}

static const char *text_of(const struct stack_process *process, uint32_t stack)
{
	return named_stack_text(&names, named_stack_of(&names, &process->process, stack, 10),
				&texts);
}

static uint32_t usual(uint64_t bias)
{
	return STACK(&source, &library, bias, 8, START_FUNCTION, LIBC_START, MAIN, TRAIN,
		     OPERATOR_NEW, MALLOC);
}

TEST_BOTH(what_nobody_wants_to_see_is_folded, start, stop)
{
	assert_string_equal(text_of(&one, usual(HERE)), "main;train");
}

/* What is shown does not depend on how names are written. */
TEST_BOTH(names_of_any_form_are_folded, start, stop)
{
	static const enum symbol_form forms[] = { SYMBOLS_FULL, SYMBOLS_SHORT, SYMBOLS_MANGLED };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		named_stacks_release(&names);
		named_stacks_init(&names, &source, forms[i]);
		assert_string_equal(text_of(&one, STACK(&source, &library, HERE, 8, START_FUNCTION,
							MAIN, TRAIN, ALLOCATE, OPERATOR_NEW)),
				    "main;train");
	}
}

TEST_BOTH(raw_stacks_have_it_all, start, stop)
{
	names.is_raw = true;
	assert_string_equal(text_of(&one, usual(HERE)),
			    "_start;__libc_start_main;main;train;operator new(unsigned "
			    "long);malloc");
}

TEST_BOTH(only_ends_are_folded, start, stop)
{
	/* a program's own function between: what is around it stays */
	assert_string_equal(text_of(&one, STACK(&source, &library, HERE, 8, MAIN, MALLOC, TRAIN)),
			    "main;malloc;train");
	assert_string_equal(
		text_of(&one, STACK(&source, &library, HERE, 8, MAIN, START_FUNCTION, TRAIN)),
		"main;_start;train");
}

TEST_BOTH(a_stack_keeps_a_frame, start, stop)
{
	assert_string_equal(text_of(&one, STACK(&source, &library, HERE, 8, MALLOC)), "malloc");
	assert_string_equal(text_of(&one, STACK(&source, &library, HERE, 8, START_FUNCTION)),
			    "_start");
	assert_string_equal(
		text_of(&one, STACK(&source, &library, HERE, 8, START_FUNCTION, MALLOC)), "malloc");
	assert_string_equal(text_of(&one, STACK_NONE), "(unknown)");
	assert_string_equal(text_of(&one, 12345), "(unknown)");
}

TEST_BOTH(wrappers_by_their_flag_are_folded, start, stop)
{
	uint32_t main_frame = STACK(&source, &library, HERE, 8, MAIN);
	uint32_t wrapper = stacks_add(&source.stacks, main_frame,
				      stack_address(&library, HERE, OTHER, 8), FRAME_IS_WRAPPER);

	assert_string_equal(text_of(&one, wrapper), "main");
}

TEST_BOTH(places_are_equal_wherever_they_are_mapped, start, stop)
{
	uint32_t here = usual(HERE), there = usual(THERE);

	assert_int_not_equal(here, there);
	assert_int_equal(named_stack_of(&names, &one.process, here, 10),
			 named_stack_of(&names, &two.process, there, 10));
	/* without lines calls from two places of a function are two */
	assert_int_not_equal(named_stack_of(&names, &one.process,
					    STACK(&source, &library, HERE, 8, MAIN, TRAIN), 10),
			     named_stack_of(&names, &one.process,
					    STACK(&source, &library, HERE, 9, MAIN, TRAIN), 10));
}

/* dlclose(), and another library at the same address: the same number means another thing. */
TEST_BOTH(an_address_means_what_was_there_then, start, stop)
{
	struct source_name gone = { .text = "/nowhere/libgone.so", .length = 19 };
	uint32_t stack = STACK(&source, &library, HERE, 8, MAIN);
	uint32_t before, after;

	one.module[1] = one.module[0];
	one.module[0].path = &gone;
	one.module[0].to_ns = 100;
	one.module[1].from_ns = 100;
	one.process.module_count = 2;
	before = named_stack_of(&names, &one.process, stack, 50);
	after = named_stack_of(&names, &one.process, stack, 150);
	assert_string_equal(named_frame_of(&names, after)->name, "main");
	assert_null(named_frame_of(&names, before)->function);
	assert_string_equal(named_frame_of(&names, before)->module, "libgone.so");
	assert_int_equal(named_stack_of(&names, &one.process, stack, 60), before);
}

TEST_BOTH(unknown_code_is_its_address, start, stop)
{
	uint32_t stack = stacks_add(&source.stacks, STACK_NONE, 0x1234, 0);

	assert_string_equal(text_of(&one, stack), "0x1234");
}

TEST_BOTH(a_truncated_stack_says_so, start, stop)
{
	uint32_t root = stacks_add(&source.stacks, STACK_NONE,
				   stack_address(&library, HERE, TRAIN, 8), FRAME_IS_TRUNCATED);

	assert_string_equal(text_of(&one, stacks_add(&source.stacks, root,
						     stack_address(&library, HERE, STEP, 8), 0)),
			    "(more callers, not recorded);train;step");
}

TEST_BOTH(frames_come_innermost_first_and_are_counted, start, stop)
{
	struct table_frame frame[2];
	uint32_t stack = named_stack_of(&names, &one.process,
					STACK(&source, &library, HERE, 8, MAIN, TRAIN, STEP), 10);

	assert_int_equal(named_stack_frames(&names, stack, frame, 2), 3);
	assert_string_equal(frame[0].function, "step");
	assert_string_equal(frame[1].function, "train");
	assert_int_equal(frame[0].offset, stack_address(&library, 0, STEP, 8));
	assert_true(named_stack_has(&names, stack, "rai"));
	assert_false(named_stack_has(&names, stack, "other"));
}

/* No recursion, and text within its bounds. */
TEST_BOTH(a_stack_may_be_a_million_deep, start, stop)
{
	uint32_t stack = STACK_NONE;
	const char *text;

	for (unsigned int i = 0; i < 1000000; i++)
		stack = stacks_add(&source.stacks, stack,
				   stack_address(&library, HERE, i % 2 ? TRAIN : STEP, 8), 0);
	text = text_of(&one, stack);
	assert_in_range(strlen(text), 4000, NAMED_TEXT_MAX);
	assert_non_null(strstr(text, " frames);"));
	assert_memory_equal(text, "step;train;step;", 16);
}

TEST_BOTH(names_cannot_break_a_line_or_a_stack, start, stop)
{
	char shown[NAMED_TEXT_FRAME_MAX], longer[10001];
	size_t length = named_frame_text(shown, "a;b\nc\033[31m");

	assert_int_equal(length, strlen(shown));
	assert_null(strpbrk(shown, ";\n\033"));
	assert_memory_equal(shown, "a:b", 3);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_in_range(named_frame_text(shown, longer), 1, NAMED_TEXT_FRAME_MAX - 1);
}

/* Methods of one template differ at their ends only. */
TEST_BOTH(a_long_name_keeps_its_end, start, stop)
{
	char shown[NAMED_TEXT_FRAME_MAX], longer[2000];
	size_t length;

	memset(longer, 'x', sizeof(longer));
	memcpy(longer, "std::", 5);
	strcpy(longer + sizeof(longer) - 10, ">::insert");
	length = named_frame_text(shown, longer);
	assert_int_equal(length, strlen(shown));
	assert_memory_equal(shown, "std::x", 6);
	assert_non_null(strstr(shown, "x...x"));
	assert_string_equal(shown + strlen(shown) - 9, ">::insert");
	for (size_t i = 0; i < 1000; i++) /* no character is cut in two */
		memcpy(longer + 2 * i, "\303\244", 2);
	longer[sizeof(longer) - 2] = '\0';
	named_frame_text(shown, longer);
	assert_null(strchr(shown, '\\'));
}

TEST_GROUP(make, unmake)
