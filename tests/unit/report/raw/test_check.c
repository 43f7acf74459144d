/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/raw/check.c: what is said of times that fall. */
#include "tests/unit/unit.h"
#include "report/raw/check.h"

static char said[1000];

static void note(void *context, uint64_t offset, int error, const char *text)
{
	strncat(said, text, sizeof(said) - strlen(said) - 1);
	strncat(said, "\n", sizeof(said) - strlen(said) - 1);
}

/* A frame with a block for each of the times, all of one stream. */
static void check_times_of(const uint64_t *time_ns, size_t count)
{
	const struct reader_listener listener = { .fault = note };
	static const uint64_t no_value[16];
	struct event event[8] = { 0 };
	struct event_block block[8] = { 0 };
	struct reader_frame frame = { .block = block, .block_count = count };
	struct reader_facts facts = { 0 };
	struct check check;

	for (size_t i = 0; i < count; i++) {
		event[i] = (struct event){
			.time_ns = time_ns[i], .id = EVT_nvtx_pop, .stream = 1, .value = no_value
		};
		block[i] = (struct event_block){ .stream = 1, .count = 1, .event = &event[i] };
	}
	said[0] = '\0';
	check_init(&check, &listener);
	assert_int_equal(lookup_put(&check.streams, 1, said), 0);
	assert_int_equal(check_frame(&check, &facts, &frame), 0);
	check_release(&check);
}

TEST(a_fall_is_said_once_with_its_times)
{
	check_times_of((const uint64_t[]){ 10, 20, 20 }, 3);
	assert_string_equal(said, "");
	check_times_of((const uint64_t[]){ 10, 20, 15, 16, 12 }, 5);
	assert_string_equal(said, "stream 1: time falls from 20 to 15 ns\n");
}
