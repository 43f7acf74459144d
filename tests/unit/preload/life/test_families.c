/* SPDX-License-Identifier: MIT */
/* links: preload:life/families.c */
/*
 * Each family of families.def is called, in that order, and flush() keeps to its time. The families
 * are this test's own.
 */
#include <stdbool.h>
#include <time.h>

#include "tests/unit/unit.h"
#include "preload/base/clock.h"
#include "preload/life/families.h"
#include "preload/record/family.h"

bool clock_is_tsc;

static char called[4096]; /* "name.what " each */
static uint64_t flush_takes_ns, flush_until;

static void note(const char *what)
{
	strcat(called, what);
	strcat(called, " ");
}

/*
 * Time that a family takes is only counted, not spent.
 */
static uint64_t passed_ns;

static int clock_counted(clockid_t clock, struct timespec *now)
{
	(void)clock;
	now->tv_sec = (time_t)(1000 + passed_ns / 1000000000u);
	now->tv_nsec = (long)(passed_ns % 1000000000u);
	return 0;
}

int (*clock_of_kernel)(clockid_t clock, struct timespec *ret_time) = clock_counted;

static void note_flush(const char *what, uint64_t until)
{
	note(what);
	flush_until = until;
	passed_ns += flush_takes_ns;
}

#define FAMILY(name)                                                                              \
	static void name##_loaded(void)                                                           \
	{                                                                                         \
		note(#name ".loaded");                                                            \
	}                                                                                         \
	static void name##_start(void)                                                            \
	{                                                                                         \
		note(#name ".start");                                                             \
	}                                                                                         \
	static void name##_opened(void)                                                           \
	{                                                                                         \
		note(#name ".opened");                                                            \
	}                                                                                         \
	static void name##_forked(void)                                                           \
	{                                                                                         \
		note(#name ".forked");                                                            \
	}                                                                                         \
	static void name##_driver_starts(bool is_late)                                            \
	{                                                                                         \
		note(is_late ? #name ".driver_starts" : "early");                                 \
	}                                                                                         \
	static void name##_flush(uint64_t until_ns)                                               \
	{                                                                                         \
		note_flush(#name ".flush", until_ns);                                             \
	}                                                                                         \
	static void name##_leaves(void)                                                           \
	{                                                                                         \
		note(#name ".leaves");                                                            \
	}                                                                                         \
	extern const struct family family_##name;                                                 \
	const struct family family_##name = { name##_loaded, name##_start,         name##_opened, \
					      name##_forked, name##_driver_starts, name##_flush,  \
					      name##_leaves };
#include "preload/families.def"

static int setup(void **state)
{
	called[0] = 0;
	passed_ns = 0;
	flush_takes_ns = 0;
	return 0;
}

static const char in_order[] =
#define FAMILY(name) #name ".loaded "
#include "preload/families.def"
#define FAMILY(name) #name ".start "
#include "preload/families.def"
#define FAMILY(name) #name ".opened "
#include "preload/families.def"
#define FAMILY(name) #name ".forked "
#include "preload/families.def"
#define FAMILY(name) #name ".driver_starts "
#include "preload/families.def"
#define FAMILY(name) #name ".flush "
#include "preload/families.def"
#define FAMILY(name) #name ".leaves "
#include "preload/families.def"
	;

TEST_SET_UP(each_family_is_called_in_the_order_of_the_list, setup)
{
	families_loaded();
	families_start();
	families_opened();
	families_forked();
	families_driver_starts(true);
	families_flush();
	families_leave();
	assert_string_equal(called, in_order);
}

TEST_SET_UP(flush_is_over_after_its_time, setup)
{
	flush_takes_ns = FAMILY_FLUSH_NS;
	families_flush();
	assert_non_null(strstr(called, ".flush "));
	assert_ptr_equal(strstr(called, ".flush "), strrchr(called, '.'));
	assert_true(flush_until == clock_ns(CLOCK_MONOTONIC));
}

TEST_SET_UP(families_that_are_quick_all_have_the_same_end, setup)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + FAMILY_FLUSH_NS;

	flush_takes_ns = 1000;
	families_flush();
	assert_true(flush_until == end);
}
