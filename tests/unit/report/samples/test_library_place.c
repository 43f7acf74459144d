/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/samples/library_place.c: the function of a package in which a line of the user's own code
 * spends its time.
 */
#include "report/samples/library_place.h"
#include "tests/unit/run_fixture.h"

#define MS 1000000ull
#define PACKAGES "/v/lib/python3.11/site-packages/"

static struct samples *samples;
static struct own own;
static uint64_t now;
static char text[LIBRARY_PLACE_BYTES];

static void define_code(uint64_t id, const char *function, const char *file)
{
	FRAME_PUT(c.r.fw, 1, python_code, .id = id, .function = cuda_recording_name(&c, function),
		  .file = cuda_recording_name(&c, file), .line = 1);
}

static void define_place(uint64_t id, uint64_t from, uint64_t code, uint64_t line)
{
	FRAME_PUT(c.r.fw, 1, python_place, .id = id, .from = from, .code = code, .line = line);
}

/*
 * main.py:9 calls load() of a package, which calls group() for itself and again, and that copy.py
 * of Python. main.py:10 calls a module of PyTorch, whose forward() is a package's.
 */
static void start(void)
{
	now = 10 * MS;
	cuda_recording_start(&c, 1);
	frame_begin_block(c.r.fw, 0);
	define_code(1, "<module>", "/home/me/main.py");
	define_code(2, "load", PACKAGES "sql/engine/load.py");
	define_code(3, "group", PACKAGES "sql/engine/group.py");
	define_code(4, "deepcopy", "/usr/lib/python3.11/copy.py");
	define_code(5, "<genexpr>", PACKAGES "sql/engine/group.py");
	define_code(6, "_call_impl", PACKAGES "torch/nn/modules/module.py");
	define_code(7, "other", PACKAGES "sql/engine/other.py");
	define_place(1, 0, 1, 9);
	define_place(2, 1, 2, 20);
	define_place(3, 2, 3, 30);
	define_place(4, 3, 3, 31);
	define_place(5, 4, 4, 40);
	define_place(6, 4, 5, 31);
	define_place(7, 2, 7, 50);
	define_place(8, 0, 1, 10);
	define_place(9, 8, 6, 1511);
	define_place(10, 9, 7, 51);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 1);
}

static void sample(uint64_t place, uint64_t cpu_us, enum evt_python_state state)
{
	now += 20 * MS;
	FRAME_PUT(c.r.fw, now, python_sample, .place = place, .state = state, .cpu_us = cpu_us,
		  .looks = 1);
}

static void runs(uint64_t place, unsigned int times)
{
	while (times--)
		sample(place, 20000, EVT_PYTHON_RUNS);
}

static void read_all(void)
{
	recording_end(10000 * MS);
	run = run_new(source, &recording_whole);
	samples = samples_want(run, &(struct samples_options){ .by = BY_lines_line });
	run_read(run, false);
	own_init(&own, source, NULL);
}

static void finish(void)
{
	own_release(&own);
	recording_close();
}

/* The place's text; "": there is none. */
static const char *place_of(uint32_t number, bool of_cpu)
{
	struct library_caller caller = { .number = number, .of_cpu = of_cpu };
	struct library_place place;

	caller.file = samples_code(samples, samples->place[0].code)->file;
	text[0] = '\0';
	if (library_place_find(samples, &own, &caller, &place))
		library_place_text(source, &place, text);
	return text;
}

TEST(the_deepest_function_with_half_is_named)
{
	start();
	runs(5, 40);
	runs(6, 30);
	runs(3, 10);
	runs(7, 50);
	read_all();
	assert_string_equal(place_of(9, true), "sql/engine/group.py:31 (group)");
	assert_string_equal(place_of(9, false), "sql/engine/group.py:31 (group)");
	assert_string_equal(place_of(10, true), "");
	finish();
}

/* 7 of 13 samples may be fewer than half of all that could be taken. 80 of 130 hardly are. */
TEST(a_half_by_chance_gives_way_to_the_caller)
{
	start();
	runs(5, 7);
	runs(7, 6);
	read_all();
	assert_string_equal(place_of(9, true), "sql/engine/load.py:20 (load)");
	assert_string_equal(place_of(9, false), "sql/engine/load.py:20 (load)");
	finish();
	start();
	runs(5, 80);
	runs(7, 50);
	read_all();
	assert_string_equal(place_of(9, true), "sql/engine/group.py:31 (group)");
	finish();
	start(); /* nobody else could be named */
	runs(9, 6);
	runs(10, 7);
	read_all();
	assert_string_equal(place_of(10, true), "sql/engine/other.py:51 (other)");
	finish();
}

TEST(none_is_named_where_none_has_half)
{
	start();
	runs(1, 6); /* in the user's own line */
	runs(5, 5);
	read_all();
	assert_string_equal(place_of(9, true), "");
	finish();
}

TEST(who_only_calls_others_is_not_named)
{
	start();
	runs(9, 9);
	runs(10, 1);
	read_all();
	assert_string_equal(place_of(10, true), "");
	finish();
	start();
	runs(9, 2);
	runs(10, 8);
	read_all();
	assert_string_equal(place_of(10, true), "sql/engine/other.py:51 (other)");
	finish();
}

TEST(waits_count_unless_cpu_time_alone_does)
{
	start();
	sample(1, 0, EVT_PYTHON_IO);
	runs(5, 2);
	for (int i = 0; i < 20; i++)
		sample(7, 0, EVT_PYTHON_IO);
	read_all();
	assert_string_equal(place_of(9, false), "sql/engine/other.py:50 (other)");
	assert_string_equal(place_of(9, true), "sql/engine/group.py:31 (group)");
	finish();
}

TEST(all_frames_are_the_users_where_he_asks)
{
	start();
	runs(5, 4);
	read_all();
	own.is_off = true;
	assert_string_equal(place_of(9, true), "");
	own.is_off = false;
	finish();
}

/* Looks at a place, by its number as a key; others are what is compared with. */
static struct library_sample looks_at(size_t place, uint64_t looks, bool is_other)
{
	uint64_t key = 0;

	for (size_t i = 0; i < samples->row_count; i++)
		if (samples_place(samples, samples->row[i].place) == &samples->place[place])
			key = samples->row[i].place;
	return (struct library_sample){ key, looks, (double)looks, is_other };
}

/* The function that is in most of these samples; "": there is none. */
static const char *function_in(bool is_users, const struct library_sample *sample, size_t count)
{
	struct library_caller caller = { .number = 9, .is_users = is_users };
	struct library_place place;
	double share = 0;

	caller.file = samples_code(samples, samples->place[0].code)->file;
	text[0] = '\0';
	if (!library_place_find_in(samples, &own, &caller, sample, count, &place, &share))
		return text;
	if (is_users)
		snprintf(text, sizeof(text), "line %u", place.number);
	else
		library_place_text(source, &place, text);
	assert_true(share >= 0.5);
	return text;
}

/* A line that runs all of a training has other functions in some of its samples. */
TEST(only_the_samples_that_are_asked_for_count)
{
	struct library_sample sample[3];

	start();
	runs(5, 10);
	runs(7, 90);
	read_all();
	assert_string_equal(place_of(9, true), "sql/engine/other.py:50 (other)");
	sample[0] = looks_at(4, 40, false);
	assert_string_equal(function_in(false, sample, 1), "sql/engine/group.py:31 (group)");
	sample[1] = looks_at(4, 10, true); /* what the others do as well sets nothing apart */
	assert_string_equal(function_in(false, sample, 2), "");
	sample[2] = looks_at(6, 90, true);
	assert_string_equal(function_in(false, sample, 3), "sql/engine/group.py:31 (group)");
	finish();
}

TEST(a_function_of_the_users_is_found_in_whole_stacks)
{
	struct library_sample sample[2];

	start();
	runs(5, 10);
	runs(10, 10);
	read_all();
	sample[0] = looks_at(4, 40, false);
	sample[1] = looks_at(9, 40, true);
	assert_string_equal(function_in(true, sample, 1), "line 9");
	assert_string_equal(function_in(true, sample, 2), ""); /* all stacks begin there */
	finish();
}
