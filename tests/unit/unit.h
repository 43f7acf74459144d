/* SPDX-License-Identifier: MIT */
/*
 * cmocka, the headers that it needs before it, and those of libc that nearly every test uses. Every
 * test has a parameter for a state, and few use it.
 *
 * TEST(name) begins a test. The main() here runs all of a file's, in the order in which they stand
 * there. A file that needs a main() of its own defines UNIT_HAS_MAIN first, and calls unit_run().
 */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

/* `make check` runs this (tests/run): a test that tries random inputs may try fewer of them. */
static inline bool unit_is_quick(void)
{
	const char *suite = getenv("SUITE");

	return suite && !strcmp(suite, "check");
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wredundant-decls"

#define UNIT_TESTS_MAX 128u

static struct unit_tests {
	struct CMUnitTest test[UNIT_TESTS_MAX];
	unsigned int line[UNIT_TESTS_MAX], count;
	CMFixtureFunction set_up, tear_down; /* of all together, or NULL */
} unit_tests;

/* Constructors need not run in the order in which they stand in the file. */
static inline void unit_add(const struct CMUnitTest *test, unsigned int line)
{
	struct unit_tests *all = &unit_tests;
	unsigned int at = all->count++;

	if (all->count > UNIT_TESTS_MAX)
		abort();
	for (; at && all->line[at - 1] > line; at--) {
		all->test[at] = all->test[at - 1];
		all->line[at] = all->line[at - 1];
	}
	all->test[at] = *test;
	all->line[at] = line;
}

static inline int unit_run(void)
{
	return _cmocka_run_group_tests("tests", unit_tests.test, unit_tests.count,
				       unit_tests.set_up, unit_tests.tear_down);
}

#define UNIT_TEST(name, set_up, tear_down)                                                        \
	static void name(void **unit_state);                                                      \
	static __attribute__((constructor)) void unit_add_##name(void)                            \
	{                                                                                         \
		unit_add(&(struct CMUnitTest){ #name, name, set_up, tear_down, NULL }, __LINE__); \
	}                                                                                         \
	static void name(void **unit_state)

#define TEST(name) UNIT_TEST(name, NULL, NULL)
/* With what comes before it, which may stand further down in the file; or after it; or both. */
#define TEST_SET_UP(name, set_up)             \
	static int set_up(void **unit_state); \
	UNIT_TEST(name, set_up, NULL)
#define TEST_TEAR_DOWN(name, tear_down)          \
	static int tear_down(void **unit_state); \
	UNIT_TEST(name, NULL, tear_down)
#define TEST_BOTH(name, set_up, tear_down)       \
	static int set_up(void **unit_state);    \
	static int tear_down(void **unit_state); \
	UNIT_TEST(name, set_up, tear_down)

/* What comes once before all tests of the file, and once after them; NULL: nothing does. */
#define TEST_GROUP(before, after)                                 \
	static __attribute__((constructor)) void unit_group(void) \
	{                                                         \
		unit_tests.set_up = before;                       \
		unit_tests.tear_down = after;                     \
	}

#ifndef UNIT_HAS_MAIN
int main(void)
{
	return unit_run();
}
#endif

#endif
