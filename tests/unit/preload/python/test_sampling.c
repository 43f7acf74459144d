/* SPDX-License-Identifier: MIT */
/* links: preload:python/sampling.c,python/thread_state.c,base/own_memory.c */
/*
 * preload/python/sampling.c: in what order a process lets itself be read, with system calls and
 * CPython played by the test.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "collector/region/python_layout.h"
#include "preload/base/seccomp.h"
#include "preload/base/symbols.h"
#include "preload/pyframes/pyframes.h"
#include "preload/python/python_api.h"
#include "preload/python/sampling.h"
#include "preload/record/entry.h"
#include "preload/record/recorder.h"
#include "preload/settings/settings.h"

#define COLLECTOR 4711
#define SCOPE_FD 1000

static struct region_process own;
static struct region_header region;
static struct {
	unsigned int calls;
	long collector;
	uint64_t word; /* that the collector could see before */
} named;
static char scope;

struct settings settings;
union recorder_page recorder_page;

struct region_process *entry_own(void)
{
	return &own;
}

struct region_header *entry_region(void)
{
	return &region;
}

/* In libc's place: the kernel has Yama, with the scope that the test wants. */
long syscall(long number, ...)
{
	va_list list;
	long argument[3];

	va_start(list, number);
	for (unsigned int i = 0; i < 3; i++)
		argument[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_openat)
		return SCOPE_FD;
	if (number == SYS_read) {
		*(char *)argument[1] = scope;
		return 1;
	}
	if (number == SYS_prctl) {
		named.calls++;
		named.collector = argument[1];
		named.word = atomic_load(&own.python);
	}
	return 0;
}

bool seccomp_kills(long number)
{
	(void)number;
	return false;
}

void *symbols_find_loaded(const char *name)
{
	(void)name;
	return NULL;
}

bool pyframes_are_wanted(void)
{
	return false;
}

bool pyframes_begin(const struct python_layout *layout, void *runtime, void *code_type,
		    const struct pyframes_example *example)
{
	(void)layout;
	(void)runtime;
	(void)code_type;
	(void)example;
	return false;
}

void pyframes_refuse(enum limitation why)
{
	(void)why;
}

static void *item(void *tuple, ssize_t index)
{
	(void)index;
	return tuple;
}

static const char *utf8(void *text, ssize_t *length)
{
	*length = 0;
	return text;
}

struct python_api python_api = { .PyTuple_GetItem = item, .PyUnicode_AsUTF8AndSize = utf8 };

static void check(char yama, uint32_t collector)
{
	static char empty[1];

	memset(&own, 0, sizeof(own));
	memset(&named, 0, sizeof(named));
	scope = yama;
	settings.sample_hz = 100;
	atomic_store(&region.collector_pid, collector);
	sampling_check(empty);
}

/* A collector that looks between the two would be refused, and give the process up. */
TEST(the_collector_is_named_before_it_may_look)
{
	check('1', COLLECTOR);
	assert_int_equal(named.calls, 1);
	assert_int_equal(named.collector, COLLECTOR);
	assert_int_equal(named.word, 0);
	assert_int_equal(python_word_of(atomic_load(&own.python)).hz, 100);
}

TEST(nobody_is_named_in_vain)
{
	check('0', COLLECTOR);
	assert_int_equal(named.calls, 0);
	check('1', 0);
	assert_int_equal(named.calls, 0);
	assert_int_not_equal(atomic_load(&own.python), 0);
}

/* A child of fork() has another entry, and nobody may read it yet. */
TEST(a_child_names_it_again)
{
	check('1', COLLECTOR);
	memset(&own, 0, sizeof(own));
	sampling_tell();
	assert_int_equal(named.calls, 2);
	assert_int_equal(named.word, 0);
	assert_int_not_equal(atomic_load(&own.python), 0);
}
