/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/advice/run_growth.c: memory that grows throughout a run without steps, and memory that
 * only seems to.
 */
#include "tests/unit/unit.h"

#include <sys/mman.h>

#include "tests/unit/advice_recording.h"

#define MIB (1u << 20)
#define LOOKS 240u
#define REQUESTS 60u

static unsigned int arenas_at[LOOKS]; /* how many arenas are mapped at each look */
static unsigned int done_at;          /* the look at which the program is done; 0: none */
static unsigned int imports_until;    /* the look until which it imports; 0: it does not */

static uint64_t lacked_ns; /* for so long the main thread has no CPU */

static void write_it(unsigned int processes)
{
	uint64_t address = 0x10000000;

	start(1);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 1, python_code, .id = 1, .function = name("main"),
		  .file = name("/home/me/serve.py"), .line = 1);
	FRAME_PUT(c.r.fw, 1, python_place, .id = 1, .code = 1, .line = 20);
	for (unsigned int i = 1; i < processes; i++)
		FRAME_PUT(c.r.fw, 0, process, .process = 1 + i, .pid = 300 + i, .parent_pid = 100,
			  .parent = 1);
	FRAME_PUT(c.r.fw, 1, thread_sched, .stream = 1);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 1);
	for (unsigned int i = 0; i < LOOKS; i++) {
		now = (i + 1) * 20ull * MS;
		for (unsigned int j = 0; j < arenas_at[i]; j++, address += MIB)
			FRAME_PUT(c.r.fw, now, map_anonymous, .address = address, .bytes = MIB,
				  .protection = PROT_READ | PROT_WRITE, .flags = MAP_PRIVATE);
		if (i && i == done_at)
			frame_put(c.r.fw, EVT_teardown_begin, now, &now);
		if (i == 0 && imports_until)
			FRAME_PUT(c.r.fw, now, import_begin, .module = name("pandas"),
				  .file = name("/home/me/serve.py"), .line = 1);
		if (i && i == imports_until)
			FRAME_PUT(c.r.fw, now, import_end, .failed = 0);
		FRAME_PUT(c.r.fw, now, python_sample, .looks = i != 0, .place = 1,
			  .state = EVT_PYTHON_SLEEP);
	}
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, now, thread_sched, .stream = 1, .cpu_ns = MS, .runnable_ns = lacked_ns);
	frame_end_block(c.r.fw);
	read_back();
}

/* So many arenas at each look of [from, to). */
static void map_arenas(unsigned int from, unsigned int to, unsigned int every)
{
	memset(arenas_at, 0, sizeof(arenas_at));
	for (unsigned int i = from; i < to; i += every)
		arenas_at[i] = 1;
}

TEST(objects_that_stay_grow_throughout_the_run)
{
	const struct advice *advice;

	map_arenas(0, LOOKS, 2);
	write_it(1);
	advice = advice_of("memory_growth");
	assert_non_null(advice);
	assert_int_equal(advice->severity, ADVICE_NOTE);
	assert_true(advice->value > 70.0 * MIB && advice->value < 90.0 * MIB);
	assert_non_null(strstr(advice->text, "small objects of Python (arenas) grow throughout the "
					     "run, from 40.0 MiB to 120 MiB."));
	assert_string_equal(advice->command, "memory");
	release();
}

/* Python needs time to end, in which nothing grows. */
TEST(what_follows_the_program_does_not_count)
{
	map_arenas(0, LOOKS / 2, 1);
	done_at = LOOKS / 2;
	write_it(1);
	assert_non_null(advice_of("memory_growth"));
	release();
	done_at = 0;
}

/* As what is loaded before the work, or a cache that is full. */
TEST(what_stops_does_not_grow)
{
	map_arenas(0, LOOKS / 2, 1);
	write_it(1);
	assert_null(advice_of("memory_growth"));
	release();
	map_arenas(0, LOOKS / 4, 1);
	write_it(1);
	assert_null(advice_of("memory_growth"));
	release();
}

/* Modules need memory as they come: where most of a run imports, it says nothing of the program. */
TEST(imports_are_no_growth)
{
	map_arenas(0, LOOKS, 2);
	imports_until = LOOKS / 2;
	write_it(1);
	assert_null(advice_of("memory_growth"));
	release();
	imports_until = LOOKS / 8;
	write_it(1);
	assert_non_null(advice_of("memory_growth"));
	release();
	imports_until = 0;
}

/* A program that is over in a moment, or had no CPU for most of its time, builds its result. */
TEST(what_is_over_soon_is_no_growth)
{
	map_arenas(0, LOOKS / 3, 1);
	done_at = LOOKS / 3;
	write_it(1);
	assert_null(advice_of("memory_growth"));
	release();
	done_at = 0;
	map_arenas(0, LOOKS, 2);
	lacked_ns = 3000 * (uint64_t)MS;
	write_it(1);
	assert_null(advice_of("memory_growth"));
	release();
	lacked_ns = 0;
}

TEST(a_few_arenas_are_no_growth)
{
	map_arenas(0, LOOKS, 16);
	write_it(1);
	assert_null(advice_of("memory_growth"));
	release();
}

TEST(processes_that_come_are_no_growth)
{
	map_arenas(0, LOOKS, 2);
	write_it(2);
	assert_null(advice_of("memory_growth"));
	release();
}

/* --- several processes: each by itself, by the collector's looks at it --- */

/* Arenas of 1 MiB that process `number` maps: one every so many looks, from one look to another. */
struct mapper {
	unsigned int number, from, to, every;
	unsigned int first;  /* that it has at once, at its first look */
	unsigned int serves; /* the look at which its requests come; 0: there are none */
};

#define PYTHON 0x400000u   /* where the interpreter is loaded */
static uint64_t mapped[4]; /* by process */

/* Mappings are in the stream of the process's first thread, looks at the process in stream 0. */
static void write_look(const struct mapper *mapper, unsigned int look)
{
	bool is_first = look == mapper->from;
	unsigned int maps = mapper->every && look % mapper->every == 0;

	frame_begin_block(c.r.fw, 2 * mapper->number - 1);
	for (unsigned int i = is_first ? mapper->first : maps; i; i--)
		FRAME_PUT(c.r.fw, now, map_anonymous,
			  .address = 0x10000000 + mapped[mapper->number - 1]++ * MIB, .bytes = MIB,
			  .protection = PROT_READ | PROT_WRITE, .flags = MAP_PRIVATE,
			  .caller = PYTHON + 0x10);
	FRAME_PUT(c.r.fw, now, python_sample, .looks = !is_first, .place = 1,
		  .state = EVT_PYTHON_SLEEP);
	for (unsigned int i = 0; look && look == mapper->serves && i < REQUESTS; i++) {
		FRAME_PUT(c.r.fw, now, request_begin, .connection = 1, .number = i,
			  .method = name("GET"), .endpoint = name("/"));
		FRAME_PUT(c.r.fw, now, request_end, .connection = 1, .number = i, .status = 200);
	}
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, now + MS, process_memory, .process = mapper->number,
		  .resident_bytes = 100 * MIB + (look % 2) * 4096);
	if (look + 1 == mapper->to)
		FRAME_PUT(c.r.fw, now + MS, process_end, .process = mapper->number);
	frame_end_block(c.r.fw);
}

static void write_mappers(const struct mapper *mapper, unsigned int count)
{
	start(count);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 1, python_code, .id = 1, .function = name("main"),
		  .file = name("/home/me/serve.py"), .line = 1);
	FRAME_PUT(c.r.fw, 1, python_place, .id = 1, .code = 1, .line = 20);
	for (unsigned int i = 0; i < count; i++)
		FRAME_PUT(c.r.fw, 1, module, .process = 1 + i, .start = PYTHON, .bytes = 0x1000,
			  .path = name("/usr/bin/python3.11"));
	frame_end_block(c.r.fw);
	memset(mapped, 0, sizeof(mapped));
	for (unsigned int look = 0; look < LOOKS; look++) {
		now = (look + 1) * 20ull * MS;
		for (unsigned int i = 0; i < count; i++)
			if (look >= mapper[i].from && look < mapper[i].to)
				write_look(&mapper[i], look);
	}
	now = (LOOKS + 1) * 20ull * MS;
	read_back();
}

static bool growth_says(const char *words)
{
	const struct advice *advice = advice_of("memory_growth");

	return advice && strstr(advice->text, words);
}

TEST(the_process_that_has_most_is_named)
{
	static const struct mapper two_of_three[] = {
		{ .number = 1, .to = LOOKS, .every = 4 },
		{ .number = 2, .to = LOOKS, .every = 2 },
		{ .number = 3, .to = LOOKS, .first = 200 },
	};

	write_mappers(two_of_three, 3);
	assert_true(growth_says("MiB, in process 101. 1 other process grows as well."));
	release();
}

/* Each has its memory at once: only their sum grows. */
TEST(processes_that_come_one_by_one_are_no_growth)
{
	static const struct mapper one_by_one[] = {
		{ .number = 1, .from = 0, .to = LOOKS, .first = 40 },
		{ .number = 2, .from = 60, .to = LOOKS, .first = 40 },
		{ .number = 3, .from = 120, .to = LOOKS, .first = 40 },
		{ .number = 4, .from = 180, .to = LOOKS, .first = 40 },
	};

	write_mappers(one_by_one, 4);
	assert_null(advice_of("memory_growth"));
	release();
}

/* What a process has when it is last seen counts, and not that it is gone afterwards. */
TEST(a_process_is_judged_over_its_own_life)
{
	static const struct mapper early[] = {
		{ .number = 1, .to = LOOKS },
		{ .number = 2, .to = LOOKS / 2, .every = 1 },
	};

	write_mappers(early, 2);
	assert_true(growth_says("MiB, in process 101."));
	assert_false(growth_says("other process"));
	release();
}

/* A worker imports what it serves after it was forked: that is no growth of the time it serves. */
TEST(what_a_worker_loads_before_it_serves_is_no_growth)
{
	struct mapper loads[] = {
		{ .number = 1, .to = LOOKS },
		{ .number = 2, .to = LOOKS, .every = 1, .serves = 1 },
	};

	write_mappers(loads, 2);
	assert_true(growth_says("grow throughout the time after start-up"));
	assert_true(growth_says("MiB, in process 101."));
	release();
	loads[1].serves = LOOKS * 3 / 4;
	write_mappers(loads, 2);
	assert_false(growth_says("grow"));
	release();
}
