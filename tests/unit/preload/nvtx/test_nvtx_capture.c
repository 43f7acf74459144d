/* SPDX-License-Identifier: MIT */
/* links: preload:nvtx/nvtx.c,nvtx/nvtx_names.c,nvtx/nvtx_tasks.c,nvtx/nvtx_v3.c,nvtx/nvtx_capture.c,base/own_memory.c,base/seccomp.c,record/foreign_generators.c,record/names.c,record/limitation.c,record/strings.c,record/recorder.c,record/last_name.c,record/rings.c,record/room.c,record/entry.c,record/event.c,record/capture.c,record/capture_asked.c,record/task.c,record/thread_clock.c,record/wake.c,base/pointer_map.c,base/parse.c,settings/budget.c,settings/schedule.c,steps/detail.c,steps/steps.c,steps/capture_range.c,python/facts.c */
/*
 * Gates that NVTX ranges move, all the way: capture ranges, and steps of a schedule; and what has
 * waited for the gates to open. The client and the reading of the ring are those of
 * nvtx_recording.h.
 */
#include "tests/unit/plain_clock.h"
#include "tests/unit/nvtx_recording.h"

#include "preload/base/log.h"
#include "preload/python/facts.h"
#include "preload/record/capture.h"
#include "preload/settings/settings.h"
#include "preload/steps/capture_range.h"
#include "preload/steps/steps.h"
#include "tests/unit/preload_region.h"
#include "preload/record/trouble.h"

/* preload/record/trouble.h: nothing goes wrong here. */
void trouble_watch(struct region_header *region)
{
	(void)region;
}

void trouble_look(void)
{
}

struct settings settings;

void log_line(const char *format, ...)
{
	(void)format;
}

/* As the library does at its start. */
static int region_setup(void **state)
{
	uint32_t entry = region_make(false);

	strings_forget();
	memset(&nvtx_self, 0, sizeof(nvtx_self));
	capture_reset();
	capture_on_open(facts_tell);
	assert_int_equal(recorder_open(&region_made, entry, 1u << EVT_FAMILY_nvtx), 0);
	family_steps.start();
	if (settings.capture == SETTINGS_CAPTURE_ALL)
		capture_always();
	settings.trace = 1u << SETTINGS_FAMILY_nvtx;
	client_init();
	return 0;
}

static int region_teardown(void **state)
{
	region_unmake();
	return 0;
}

static bool is_recording(void)
{
	return recorder_gates->gate[EVT_FAMILY_nvtx] != 0;
}

static void step_is(uint64_t number)
{
	const uint64_t *step = next_record(EVT_step);

	assert_int_equal(step[0], number);
	assert_true(step[1] == hash("iteration*"));
}

/* Steps 1 and 2 of all; ranges inside of such a range, and others, end none. */
TEST_BOTH(a_schedule_follows_the_ranges_that_end_steps, region_setup, region_teardown)
{
	uint64_t range;

	strcpy(settings.step_name, "iteration*");
	settings.schedule = (struct schedule){ .skip_first = 1, .active = 2, .repeat = 1 };
	settings.capture = SETTINGS_CAPTURE_STEPS;
	assert_int_equal(region_teardown(NULL), 0);
	assert_int_equal(region_setup(NULL), 0);
	read_at = 0;
	assert_false(is_recording());
	push("iteration 0");
	push("iteration 0 again");
	push("other");
	pop();
	pop();
	assert_false(is_recording());
	pop();
	assert_true(is_recording());
	range = start("iteration 1");
	end(range + 1);
	push("other");
	end(range);
	assert_true(is_recording());
	pop();
	push("iteration");
	pop();
	assert_false(is_recording());
	push("iteration 3");
	pop();
	assert_false(is_recording());
	(void)next_record(EVT_capture_start);
	step_is(1);
	assert_true(next_record(EVT_nvtx_start)[1] == hash("iteration 1"));
	(void)next_record(EVT_nvtx_end);
	(void)next_record(EVT_nvtx_push);
	(void)next_record(EVT_nvtx_end);
	step_is(2);
	(void)next_record(EVT_nvtx_pop);
	(void)next_record(EVT_nvtx_push);
	(void)next_record(EVT_nvtx_pop);
	step_is(3);
	(void)next_record(EVT_capture_stop);
	no_more_records();
	settings.step_name[0] = 0;
	settings.schedule.active = 0;
	settings.capture = SETTINGS_CAPTURE_ALL;
}

TEST_BOTH(capture_follows_the_range_of_that_name, region_setup, region_teardown)
{
	uint64_t range;

	settings.capture = SETTINGS_CAPTURE_RANGE;
	settings.capture_nvtx = true;
	strcpy(settings.capture_name, "step");
	capture_range_init();
	assert_int_equal(region_teardown(NULL), 0);
	assert_int_equal(region_setup(NULL), 0);
	read_at = 0;
	push("before");
	assert_int_equal(recorder_gates->gate[EVT_FAMILY_nvtx], 0);
	push("step");
	push("step");
	range = start("step");
	pop();
	pop();
	end(range + 1);
	assert_int_not_equal(recorder_gates->gate[EVT_FAMILY_nvtx], 0);
	end(range);
	assert_int_equal(recorder_gates->gate[EVT_FAMILY_nvtx], 0);
	push("after");
	pop();
	pop();
	assert_true(next_record(EVT_capture_start)[0] == hash("step"));
	assert_true(next_record(EVT_nvtx_push)[1] == hash("step"));
	assert_true(next_record(EVT_nvtx_push)[1] == hash("step"));
	(void)next_record(EVT_nvtx_start);
	(void)next_record(EVT_nvtx_pop);
	(void)next_record(EVT_nvtx_pop);
	(void)next_record(EVT_nvtx_end);
	(void)next_record(EVT_nvtx_end);
	assert_true(next_record(EVT_capture_stop)[0] == hash("step"));
	no_more_records();
}

TEST_BOTH(capture_may_name_the_domain, region_setup, region_teardown)
{
	const void *train = domain_create("train"), *test = domain_create("test");

	strcpy(settings.capture_name, "step@train");
	capture_range_init();
	read_at = 0;
	push("step");
	push_in(test, "step");
	assert_int_equal(recorder_gates->gate[EVT_FAMILY_nvtx], 0);
	push_in(train, "step");
	assert_int_not_equal(recorder_gates->gate[EVT_FAMILY_nvtx], 0);
	pop_in(train);
	assert_int_equal(recorder_gates->gate[EVT_FAMILY_nvtx], 0);
	pop_in(test);
	push("step@train");
	assert_int_not_equal(recorder_gates->gate[EVT_FAMILY_nvtx], 0);
	pop();
	assert_int_equal(recorder_gates->gate[EVT_FAMILY_nvtx], 0);
}

/* facts.c keeps what comes before. */
TEST_BOTH(facts_wait_for_the_range, region_setup, region_teardown)
{
	struct string key = string_of("torch_version"), value = string_of("9.9");

	strcpy(settings.capture_name, "step");
	capture_range_init();
	assert_int_equal(region_teardown(NULL), 0);
	assert_int_equal(region_setup(NULL), 0);
	read_at = 0;
	facts_put(&key, &value);
	push("step");
	(void)next_record(EVT_capture_start);
	assert_true(next_record(EVT_fact)[0] == hash("torch_version"));
	(void)next_record(EVT_nvtx_push);
	pop();
	push("step");
	(void)next_record(EVT_nvtx_pop);
	(void)next_record(EVT_capture_stop);
	(void)next_record(EVT_capture_start);
	(void)next_record(EVT_nvtx_push);
	no_more_records();
	pop();
}

/* A forked child whose collector has gone gets a region of its own. */
TEST_BOTH(a_new_region_inside_of_a_range_is_recorded, region_setup, region_teardown)
{
	push("step");
	capture_reset();
	assert_int_equal(recorder_gates->gate[EVT_FAMILY_nvtx], 0);
	family_capture_range.start();
	assert_int_not_equal(recorder_gates->gate[EVT_FAMILY_nvtx], 0);
	pop();
	assert_int_equal(recorder_gates->gate[EVT_FAMILY_nvtx], 0);
}

/* Labels have keys beside the numbers of NVTX ranges; one that was never opened closes nothing. */
TEST_BOTH(labels_and_ranges_are_apart, region_setup, region_teardown)
{
	uint64_t range;

	settings.capture_labels = true;
	capture_range_init();
	assert_true(capture_range_labels);
	assert_true(capture_range_matches(hash("step"), 0));
	assert_false(capture_range_matches(hash("other"), 0));
	assert_false(capture_range_matches(0, 0));
	capture_range_close_key(1ull << 63 | 7);
	capture_range_open_key(1ull << 63 | 7);
	range = start("step");
	assert_true(is_recording());
	end(range);
	assert_true(is_recording());
	assert_int_equal(capture_range_held, 1);
	capture_range_close_key(1ull << 63 | 7);
	assert_false(is_recording());
	assert_int_equal(capture_range_held, 0);
	settings.capture_nvtx = false;
	capture_range_init();
	push("step");
	assert_false(is_recording());
	pop();
	settings.capture_nvtx = true;
	settings.capture_labels = false;
	capture_range_init();
}
