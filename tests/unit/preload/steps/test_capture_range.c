/* SPDX-License-Identifier: MIT */
/* links: preload:steps/capture_range.c,record/strings.c */
/*
 * preload/steps/capture_range.c: which ranges are wanted, and that gates are open while one of them
 * is. What sets the gates is this test's: it notes what they would be.
 */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "tests/unit/plain_clock.h"
#include "preload/record/capture.h"
#include "preload/record/recorder.h"
#include "preload/settings/settings.h"
#include "preload/steps/capture_range.h"

#define MANY 100u /* more than there is room for */

/* --- what the linked files want from the others --- */

struct settings settings;
union recorder_page recorder_page;

bool recorder_make_room(struct recorder_lane *lane, unsigned int words)
{
	(void)lane;
	(void)words;
	return false;
}

static bool gates;

void capture_follow(bool (*wanted)(void), const struct string *why)
{
	assert_int_equal(why->hash,
			 string_hash(settings.capture_name, strlen(settings.capture_name)));
	gates = wanted();
}

/* --- */

static uint64_t hash(const char *text)
{
	return string_hash(text, strlen(text));
}

static void want(const char *name)
{
	settings.capture = SETTINGS_CAPTURE_RANGE;
	snprintf(settings.capture_name, sizeof(settings.capture_name), "%s", name);
	settings.capture_nvtx = settings.capture_labels = true;
	capture_range_init();
}

TEST(a_name_is_of_any_domain)
{
	want("step");
	assert_true(capture_range_nvtx);
	assert_true(capture_range_labels);
	assert_true(capture_range_matches(hash("step"), 0));
	assert_true(capture_range_matches(hash("step"), hash("other")));
	assert_false(capture_range_matches(hash("steps"), 0));
	assert_false(capture_range_matches(0, 0));
}

TEST(a_domain_is_behind_the_last_at)
{
	want("a@b@trainer");
	assert_true(capture_range_matches(hash("a@b"), hash("trainer")));
	assert_false(capture_range_matches(hash("a@b"), hash("other")));
	assert_false(capture_range_matches(hash("a"), hash("b@trainer")));
	assert_true(capture_range_matches(hash("a@b@trainer"), hash("other")));
}

TEST(gates_are_open_while_one_range_is)
{
	want("step");
	capture_range_open();
	assert_true(gates);
	capture_range_open();
	capture_range_close();
	assert_true(gates);
	capture_range_close();
	assert_false(gates);
}

TEST(a_key_closes_its_own_range)
{
	want("step");
	capture_range_open_key(7);
	capture_range_open_key(8);
	assert_int_equal(capture_range_held, 2);
	capture_range_close_key(9);
	capture_range_close_key(0);
	capture_range_close_key(7);
	capture_range_close_key(7);
	assert_true(gates);
	assert_int_equal(capture_range_held, 1);
	capture_range_close_key(8);
	assert_false(gates);
	assert_int_equal(capture_range_held, 0);
}

/* Ranges without a slot do not capture, and their ends close none of the others. */
TEST(more_ranges_than_slots)
{
	uint32_t held;

	want("step");
	for (uint64_t key = 1; key <= MANY; key++)
		capture_range_open_key(key);
	held = capture_range_held;
	assert_in_range(held, 1, MANY - 1);
	for (uint64_t key = MANY; key > held; key--)
		capture_range_close_key(key);
	assert_int_equal(capture_range_held, held);
	assert_true(gates);
	for (uint64_t key = 1; key <= held; key++)
		capture_range_close_key(key);
	assert_false(gates);
	assert_int_equal(capture_range_held, 0);
}
