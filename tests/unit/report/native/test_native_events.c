/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/native/native_events.c: samples by key, running counters of processes, and why there are
 * no samples.
 */
#include "tests/unit/unit.h"
#include "report/native/native_events.h"
#include "tests/unit/run_fixture.h"

static const struct native_reading *read_by(enum key_id by)
{
	const struct native_reading *reading;

	recording_open();
	reading = native_events_want(run, &(struct native_events_options){ .by = by });
	recording_read();
	return reading;
}

static void sample(struct frame_writer *fw, uint64_t time_ns, uint64_t cpu_ns, bool in_kernel)
{
	FRAME_PUT(fw, time_ns, native_sample, .cpu_ns = cpu_ns, .in_kernel = in_kernel);
}

TEST(cpu_time_adds_up_by_process)
{
	struct frame_writer *fw = recording_begin(2);
	const struct native_reading *reading;
	uint64_t sum = 0;

	sample(fw, 1000, 100, false);
	sample(fw, 2000, 50, true);
	on_stream(3);
	sample(fw, 3000, 7, false);
	reading = read_by(BY_native_process);
	assert_int_equal(reading->all.samples, 3);
	assert_int_equal(reading->all.cpu_ns, 157);
	assert_int_equal(reading->all.kernel_ns, 50);
	assert_int_equal(reading->row_count, 2);
	for (size_t i = 0; i < reading->row_count; i++)
		sum += reading->row[i].counts.cpu_ns;
	assert_int_equal(sum, 157);
	recording_close();
}

/* What a process has told before is part of what it tells now. */
TEST(counters_of_processes_run_on)
{
	struct frame_writer *fw = recording_begin(2);
	const struct native_reading *reading;

	on_stream(0);
	FRAME_PUT(fw, 1000, native_sampling, .process = 1, .period_ns = 1000, .lost = 3);
	FRAME_PUT(fw, 2000, native_sampling, .process = 1, .period_ns = 1000, .lost = 5,
		  .no_file = 2);
	FRAME_PUT(fw, 3000, native_sampling, .process = 2, .period_ns = 1000, .lost = 10);
	reading = read_by(BY_native_process);
	assert_int_equal(reading->sums.lost, 15);
	assert_int_equal(reading->sums.no_file, 2);
	assert_int_equal(reading->followed, 2);
	assert_null(native_why_none(reading));
	recording_close();
}

TEST(who_was_not_followed_has_a_reason)
{
	struct frame_writer *fw = recording_begin(1);
	const struct native_reading *reading;

	on_stream(0);
	FRAME_PUT(fw, 1000, native_sampling, .process = 1, .off = EVT_NATIVE_OFF_REFUSED);
	FRAME_PUT(fw, 2000, native_sampling, .process = 1, .off = EVT_NATIVE_OFF_REFUSED);
	FRAME_PUT(fw, 3000, native_sampling, .process = 9, .off = EVT_NATIVE_OFF_REFUSED);
	reading = read_by(BY_native_process);
	assert_int_equal(reading->followed, 0);
	assert_int_equal(reading->off[EVT_NATIVE_OFF_REFUSED], 1);
	assert_string_equal(native_why_none(reading), native_off_text(EVT_NATIVE_OFF_REFUSED));
	recording_close();
}

TEST(each_reason_has_a_sentence)
{
	assert_null(native_off_text(0));
	assert_null(native_off_text(EVT_NATIVE_OFF_LIMIT));
	for (unsigned int off = EVT_NATIVE_OFF_REFUSED; off < EVT_NATIVE_OFF_LIMIT; off++)
		assert_non_null(native_off_text(off));
}
