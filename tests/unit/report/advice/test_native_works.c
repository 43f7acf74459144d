/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/advice/native_works.c: what native functions do. */
#include "tests/unit/unit.h"
#include "report/session/source_state.h"
#include "report/advice/native_works.h"

#include <string.h>

#define MS 1000000ull

static struct source source;
static struct named_stacks names;
static struct native_works works;

static int start(void **state)
{
	source = (struct source){ .file_count = 0 };
	stacks_init(&source.stacks);
	named_stacks_init(&names, &source, SYMBOLS_FULL);
	works = (struct native_works){ .depth = 0 };
	return 0;
}

static int stop(void **state)
{
	named_stacks_release(&names);
	stacks_release(&source.stacks);
	return 0;
}

static uint32_t put(uint32_t parent, const char *function, bool is_users)
{
	return named_stack_put(&names, parent,
			       &(struct named_frame){ .name = function,
						      .function = function,
						      .module = is_users ? "prog" : "libc.so.6",
						      .is_users = is_users });
}

static void add(uint32_t stack, uint64_t samples, bool in_kernel)
{
	struct native_counts counts = { samples, samples * MS, in_kernel ? samples * MS : 0 };

	native_works_add(&works, &names, stack, &counts);
}

static const char *words(void)
{
	struct native_counts counts;
	const struct native_work *work = native_works_most(&works, &counts);

	return work ? work->words : "";
}

TEST(functions_of_c_by_any_of_their_names)
{
	static const char *const moves[] = { "memcpy", "__memmove_avx_unaligned_erms", "memmove",
					     "__GI___memcpy", "__memcpy_evex_unaligned" };

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		assert_int_equal(native_work_of(moves[i], "/usr/lib/libc.so.6"), NATIVE_WORK_MOVES);
	assert_int_equal(native_work_of("__GI___mmap64", "libc.so.6"), NATIVE_WORK_MAPPINGS);
	assert_int_equal(native_work_of("__libc_write", NULL), NATIVE_WORK_WRITES);
	assert_int_equal(native_work_of("write_table", "/home/me/prog"), NATIVE_WORKS);
	assert_int_equal(native_work_of("write_table", NULL), NATIVE_WORKS);
	assert_int_equal(native_work_of("memcpy_all", "/opt/libcheap.so"), NATIVE_WORKS);
	assert_int_equal(native_work_of("freeze", "libc.so.6"), NATIVE_WORKS);
	assert_int_equal(native_work_of("", NULL), NATIVE_WORKS);
	assert_int_equal(native_work_of("____", "libc.so.6"), NATIVE_WORKS);
}

/* A constructor that makes a vector of a size copies nothing. */
TEST(templates_by_their_full_names)
{
#define VECTOR "std::vector<long, std::allocator<long> >"
	assert_int_equal(native_work_of(VECTOR "::vector(" VECTOR " const&)", NULL),
			 NATIVE_WORK_COPIES);
	assert_int_equal(native_work_of(VECTOR "::vector(unsigned long)", NULL), NATIVE_WORKS);
	assert_int_equal(native_work_of(VECTOR "::push_back(long const&)", NULL), NATIVE_WORKS);
	assert_int_equal(native_work_of(VECTOR "::_M_insert_aux<long>(long*, long&&)", NULL),
			 NATIVE_WORK_SHIFTS);
	assert_int_equal(native_work_of("std::ostream& std::endl<char>(std::ostream&)", NULL),
			 NATIVE_WORKS);
	assert_int_equal(
		native_work_of("std::endl<char, std::char_traits<char> >(std::ostream&)", NULL),
		NATIVE_WORK_FLUSHES);
#undef VECTOR
}

/* What says why stands before what it calls, and what called the user's own code counts nothing. */
TEST_BOTH(the_work_that_the_users_function_called, start, stop)
{
	uint32_t own = put(put(put(NAMED_NONE, "main", true), "qsort", false), "compare", true);

	add(put(put(own, "std::endl<char>", false), "__write", false), 15, false);
	add(put(own, "memcpy", false), 8, false);
	add(own, 7, false);
	assert_string_equal(words(), "flushes of a stream");
	add(own, 1, false);
	assert_string_equal(words(), "");
}

TEST_BOTH(few_samples_must_nearly_all_agree, start, stop)
{
	uint32_t own = put(NAMED_NONE, "main", true);

	add(put(own, "strlen", false), 4, false);
	assert_string_equal(words(), "");
	add(put(own, "strlen", false), 8, false);
	assert_string_equal(words(), "strlen()");
	add(own, 4, false);
	assert_string_equal(words(), "");
	add(own, 4, false);
	assert_string_equal(words(), "strlen()");
}

/* The kernel is entered by calls, and by faults where nothing calls it. */
TEST_BOTH(kernel_time_without_a_call_is_that_of_faults, start, stop)
{
	uint32_t own = put(NAMED_NONE, "main", true);

	add(put(own, "__memset_avx2_unaligned", false), 10, true);
	add(own, 10, true);
	assert_string_equal(words(), "page faults");
	add(put(own, "read", false), 40, true);
	assert_string_equal(words(), "calls of read()");
}

TEST_BOTH(a_function_that_calls_itself, start, stop)
{
	uint32_t at = put(NAMED_NONE, "main", true);

	for (int i = 0; i < 6; i++)
		at = put(at, "walk", true);
	add(at, 5, false);
	assert_true(native_works_depth(&works) > 5.9 && native_works_depth(&works) < 6.1);
	assert_string_equal(words(), "");
}
