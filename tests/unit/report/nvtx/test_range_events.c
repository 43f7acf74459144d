/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/nvtx/range_events.c: push and pop by domain, ranges of a process by number, and ends
 * without a begin.
 */
#include "tests/unit/unit.h"
#include "report/nvtx/range_events.h"
#include "tests/unit/run_fixture.h"

static void push(struct frame_writer *fw, uint64_t time_ns, const char *domain, const char *name)
{
	FRAME_PUT(fw, time_ns, nvtx_push, .domain = name_of(domain), .name = name_of(name));
}

static void pop(struct frame_writer *fw, uint64_t time_ns, const char *domain)
{
	FRAME_PUT(fw, time_ns, nvtx_pop, .domain = name_of(domain));
}

static const struct ranges *read_ranges(void)
{
	const struct ranges *ranges;

	recording_open();
	ranges = ranges_want(run, &(struct ranges_options){ 0 });
	recording_read();
	return ranges;
}

static const struct range_row *row_of(const struct ranges *ranges, const char *name)
{
	for (size_t i = 0; i < ranges->row_count; i++)
		if (!strcmp(source_name_text(source_name_at(source, ranges->row[i].name)), name))
			return &ranges->row[i];
	fail_msg("no row '%s'", name);
	return NULL;
}

TEST(a_pop_closes_the_innermost_of_its_domain)
{
	struct frame_writer *fw = recording_begin(1);
	const struct ranges *ranges;

	push(fw, 1000, "a", "outer");
	push(fw, 1100, "b", "other");
	push(fw, 1200, "a", "inner");
	pop(fw, 1500, "a");
	pop(fw, 1600, "b");
	pop(fw, 2000, "a");
	ranges = read_ranges();
	assert_int_equal(row_of(ranges, "inner")->time.total_ns, 300);
	assert_int_equal(row_of(ranges, "other")->time.total_ns, 500);
	assert_int_equal(row_of(ranges, "outer")->time.total_ns, 1000);
	recording_close();
}

/* A range of a process ends on whatever thread; its number says which it is. */
TEST(numbers_tell_ranges_of_a_process_apart)
{
	struct frame_writer *fw = recording_begin(1);
	const struct ranges *ranges;
	const struct range_row *row;

	FRAME_PUT(fw, 1000, nvtx_start, .domain = name_of("a"), .name = name_of("load"),
		  .range = 1);
	FRAME_PUT(fw, 1100, nvtx_start, .domain = name_of("a"), .name = name_of("load"),
		  .range = 2);
	on_stream(2);
	FRAME_PUT(fw, 1300, nvtx_end, .domain = name_of("a"), .range = 1);
	FRAME_PUT(fw, 1700, nvtx_end, .domain = name_of("a"), .range = 2);
	FRAME_PUT(fw, 1800, nvtx_end, .domain = name_of("a"), .range = 9);
	ranges = read_ranges();
	row = row_of(ranges, "load");
	assert_int_equal(row->time.count, 2);
	assert_int_equal(row->time.total_ns, 900);
	assert_int_equal(row->open, 0);
	recording_close();
}

TEST(an_end_alone_closes_nothing)
{
	struct frame_writer *fw = recording_begin(1);
	const struct ranges *ranges;

	pop(fw, 500, "a");
	push(fw, 1000, "a", "open");
	pop(fw, 1100, "b");
	ranges = read_ranges();
	assert_int_equal(ranges->row_count, 1);
	assert_int_equal(row_of(ranges, "open")->open, 1);
	recording_close();
}
