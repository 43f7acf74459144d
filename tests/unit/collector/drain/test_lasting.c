/* SPDX-License-Identifier: MIT */
/*
 * What ends on another thread than it began on: found by process and key, repeated in blocks of
 * streams that live; and how many requests began, by process and method.
 */
/* links: report format collector:drain/lasting.c,drain/request_sums.c,core/restate.c */

#include "tests/unit/recording_source.h"

#include "collector/drain/lasting.h"
#include "collector/drain/request_sums.h"

static struct lasting lasting;
static struct request_sums sums;
static uint64_t now_ns;

static int lasting_setup(void **state)
{
	lasting_release(&lasting);
	request_sums_release(&sums);
	now_ns = 0;
	return 0;
}

static struct standing_event begin_of(uint32_t process, uint32_t stream, const uint64_t *value)
{
	return (struct standing_event){ stream, process, EVT_request_begin, ++now_ns, value };
}

static void begin(uint32_t process, uint32_t stream, uint64_t key)
{
	const uint64_t value[EVT_FIELDS_MAX] = { key };
	const struct standing_event event = begin_of(process, stream, value);

	lasting_begins(&lasting, &event, key);
}

TEST_SET_UP(ends_are_found_by_process_and_key, lasting_setup)
{
	begin(1, 1, 5);
	begin(2, 2, 5);
	lasting_ends(&lasting, 3, 5);
	lasting_ends(&lasting, 2, 6);
	assert_int_equal(lasting.count, 2);
	lasting_ends(&lasting, 2, 5);
	lasting_ends(&lasting, 2, 5);
	assert_int_equal(lasting.count, 1);
	begin(1, 1, 5); /* its end was lost: it takes its own place */
	assert_int_equal(lasting.count, 1);
	begin(1, 1, 0); /* no key */
	assert_int_equal(lasting.count, 1);
}

TEST_SET_UP(each_of_many_ends, lasting_setup)
{
	for (uint64_t key = 1; key <= 5000; key++)
		begin(1 + key % 3, 1, key * 64);
	assert_int_equal(lasting.count, 5000);
	lasting_drop_process(&lasting, 1);
	for (uint64_t key = 1; key <= 5000; key++) {
		uint32_t before = lasting.count;

		lasting_ends(&lasting, 1 + key % 3, key * 64);
		assert_int_equal(before - lasting.count, key % 3 != 0);
	}
	assert_int_equal(lasting.count, 0);
	assert_false(lasting.is_partial);
}

TEST_SET_UP(too_many_are_none, lasting_setup)
{
	for (uint64_t key = 1; key <= LASTING_MAX + 1; key++)
		begin(1, 1, key);
	assert_true(lasting.is_partial);
}

/* Stream 2 has ended, and process 9. */
static uint32_t place_of(const void *context, const struct lasting_begin *begin)
{
	if (begin->process == 9)
		return 0;
	return begin->stream == 2 ? 1 : begin->stream;
}

/* Blocks of a frame that is made of what has been put. */
static void expect_frame(struct recording *recording, const char *expected)
{
	struct source_event event;
	struct source *source;
	char text[256] = "";

	recording_close_frame(recording, 1000);
	recording_finish(recording, 1000);
	source = recording_source(recording);
	while (!source_next(source, &event)) {
		size_t length = strlen(text);
		uint64_t stream = event.thread ? event.thread->tid : 0;

		if (event.event.id == EVT_request_begin || event.event.id == EVT_request_sum)
			snprintf(text + length, sizeof(text) - length, "%llu:%llu:%llu ",
				 (unsigned long long)stream,
				 (unsigned long long)event.event.time_ns,
				 (unsigned long long)event.event.value[0]);
	}
	source_close(source);
	recording_release(recording);
	assert_string_equal(text, expected);
}

static void start_frame(struct recording *recording)
{
	struct file_header header = { .version = FILE_VERSION, .session = "lasting" };

	recording_start(recording, &header);
	frame_begin_block(recording->fw, 0);
	FRAME_PUT(recording->fw, 0, process, .process = 1, .pid = 7);
	FRAME_PUT(recording->fw, 0, thread, .stream = 1, .process = 1, .tid = 11);
	FRAME_PUT(recording->fw, 0, thread, .stream = 3, .process = 1, .tid = 33);
	frame_end_block(recording->fw);
}

TEST_SET_UP(begins_are_repeated_in_streams_that_live, lasting_setup)
{
	const struct lasting_place place = { place_of, NULL };
	struct recording recording;

	begin(1, 3, 10);
	begin(9, 1, 11);
	begin(1, 2, 12);
	begin(1, 1, 13);
	start_frame(&recording);
	assert_true(lasting_write(&lasting, EVT_request_begin, &place, recording.fw));
	assert_int_equal(lasting.count, 3);
	expect_frame(&recording, "33:1:10 11:3:12 11:4:13 ");
}

static void count_begin(uint32_t process, uint64_t method)
{
	const uint64_t value[EVT_FIELDS_MAX] = { 1, 0, method };
	const struct standing_event event = begin_of(process, 1, value);

	request_sums_take(&sums, &event);
}

static bool process_lives(const void *context, uint32_t process)
{
	return process != 9;
}

TEST_SET_UP(requests_are_counted_by_segment_and_in_all, lasting_setup)
{
	struct recording recording;

	count_begin(1, 4);
	count_begin(9, 4);
	count_begin(1, 4);
	count_begin(1, 6);
	request_sums_turn(&sums, process_lives, NULL);
	assert_int_equal(sums.count, 2);
	count_begin(1, 4);
	assert_int_equal(sums.sum[0].before.count, 2);
	assert_int_equal(sums.sum[0].now.count, 1);
	start_frame(&recording);
	assert_true(request_sums_write_segment(&sums, 100, recording.fw));
	expect_frame(&recording, "0:100:1 ");
	request_sums_turn(&sums, process_lives, NULL);
	assert_int_equal(sums.sum[0].before.count, 3);
	assert_int_equal(sums.sum[0].before.first_ns, 1);
	assert_int_equal(sums.sum[1].before.count, 1);
}

TEST_SET_UP(too_many_methods_have_no_sums, lasting_setup)
{
	struct recording recording;

	for (uint64_t method = 1; method <= REQUEST_SUMS_MAX + 1; method++)
		count_begin(1, method);
	assert_true(sums.is_partial);
	start_frame(&recording);
	assert_false(request_sums_write_segment(&sums, 5000, recording.fw));
	recording_release(&recording);
}
