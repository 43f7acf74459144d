/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/core/run.c, report/scopes/open_ranges.c: what is open where events are missing ends there:
 * NVTX ranges and --range, by whomever the range was named, as all else.
 */
#include "report/heap/heap_events.h"
#include "report/nvtx/range_events.h"
#include "tests/unit/run_fixture.h"

static struct ranges *ranges;
static struct heap *heap;

static void push(uint64_t time_ns, const char *name)
{
	FRAME_PUT(c.r.fw, time_ns, nvtx_push, .domain = 0, .name = cuda_recording_name(&c, name));
}

static void pop(uint64_t time_ns)
{
	FRAME_PUT(c.r.fw, time_ns, nvtx_pop, .domain = 0);
}

static void allocate(uint64_t time_ns, uint64_t ptr)
{
	FRAME_PUT(c.r.fw, time_ns, malloc, .ptr = ptr, .size = 100, .caller = 1);
}

/* Events of stream 1 were lost here. */
static void lose(uint64_t time_ns)
{
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, time_ns, lost, .stream = 1, .process = 1, .count = 3,
		  .reason = EVT_LOST_FULL);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 1);
}

static void read_with(const char *range)
{
	recording_end(1000);
	run = run_new(source, &(struct filter_settings){ .pid = FILTER_NO_ID,
							 .tid = FILTER_NO_ID,
							 .to_ns = UINT64_MAX,
							 .range = range });
	ranges = ranges_want(run, NULL);
	heap = heap_want(run, &(struct heap_options){ .by = BY_alloc_caller });
	run_read(run, false);
}

static const struct range_row *row_of(const char *name)
{
	for (size_t i = 0; i < ranges->row_count; i++)
		if (!strcmp(source_name_text(source_name_at(source, ranges->row[i].name)), name))
			return &ranges->row[i];
	fail_msg("no range %s", name);
	return NULL;
}

static void put_window(uint64_t from_ns, uint64_t to_ns)
{
	FRAME_PUT(c.r.fw, from_ns, capture_start, .name = 0);
	push(from_ns + 1, "outer");
	push(from_ns + 10, "inner");
	allocate(from_ns + 12, from_ns);
	pop(from_ns + 20);
	FRAME_PUT(c.r.fw, to_ns, capture_stop, .name = 0);
}

TEST(ranges_end_where_events_were_lost)
{
	recording_begin(1);
	push(10, "outer");
	push(20, "inner");
	lose(50); /* the pop of inner, or of both */
	pop(60);
	push(70, "later");
	pop(80);
	read_with(NULL);
	assert_int_equal(row_of("inner")->time.total_ns, 30);
	assert_int_equal(row_of("inner")->open, 1);
	assert_int_equal(row_of("outer")->time.total_ns, 40);
	assert_int_equal(row_of("later")->time.total_ns, 10);
	assert_int_equal(row_of("later")->open, 0);
	assert_int_equal(ranges->unbalanced, 1);
	recording_close();
}

TEST(ranges_end_where_recording_stops)
{
	recording_begin(1);
	put_window(100, 200);
	put_window(300, 400);
	read_with(NULL);
	assert_int_equal(row_of("outer")->count, 2);
	assert_int_equal(row_of("outer")->open, 2);
	assert_int_equal(row_of("outer")->time.total_ns, 2 * 99);
	assert_int_equal(row_of("inner")->time.total_ns, 2 * 10);
	assert_int_equal(row_of("inner")->open, 0);
	recording_close();
}

TEST(started_ranges_end_where_recording_stops)
{
	recording_begin(1);
	FRAME_PUT(c.r.fw, 10, capture_start, .name = 0);
	FRAME_PUT(c.r.fw, 20, nvtx_start, .name = cuda_recording_name(&c, "started"), .range = 5);
	FRAME_PUT(c.r.fw, 50, capture_stop, .name = 0);
	FRAME_PUT(c.r.fw, 100, capture_start, .name = 0);
	FRAME_PUT(c.r.fw, 110, nvtx_end, .range = 5);
	FRAME_PUT(c.r.fw, 120, nvtx_start, .name = cuda_recording_name(&c, "started"), .range = 5);
	FRAME_PUT(c.r.fw, 130, nvtx_end, .range = 5);
	read_with(NULL);
	assert_int_equal(row_of("started")->count, 2);
	assert_int_equal(row_of("started")->open, 1);
	assert_int_equal(row_of("started")->time.total_ns, 30 + 10);
	assert_int_equal(ranges->unbalanced, 1);
	recording_close();
}

TEST(a_range_that_is_asked_for_ends_where_recording_stops)
{
	recording_begin(1);
	put_window(100, 200); /* outer stays open */
	FRAME_PUT(c.r.fw, 300, capture_start, .name = 0);
	allocate(310, 0x3000);
	read_with("outer");
	assert_int_equal(heap->totals.allocations, 1);
	recording_close();
}

TEST(a_range_that_is_asked_for_ends_where_events_were_lost)
{
	recording_begin(1);
	push(10, "outer");
	allocate(20, 0x1000);
	lose(50);
	allocate(60, 0x2000);
	read_with("outer");
	assert_int_equal(heap->totals.allocations, 1);
	recording_close();
}

TEST(a_started_range_that_is_asked_for_ends_where_recording_stops)
{
	recording_begin(1);
	FRAME_PUT(c.r.fw, 10, capture_start, .name = 0);
	FRAME_PUT(c.r.fw, 20, nvtx_start, .name = cuda_recording_name(&c, "started"), .range = 5);
	allocate(30, 0x1000);
	FRAME_PUT(c.r.fw, 50, capture_stop, .name = 0);
	FRAME_PUT(c.r.fw, 100, capture_start, .name = 0);
	allocate(105, 0x2000);
	FRAME_PUT(c.r.fw, 110, nvtx_end, .range = 5);
	FRAME_PUT(c.r.fw, 120, nvtx_start, .name = cuda_recording_name(&c, "started"), .range = 5);
	allocate(125, 0x3000);
	FRAME_PUT(c.r.fw, 130, nvtx_end, .range = 5);
	allocate(135, 0x4000);
	read_with("started");
	assert_int_equal(heap->totals.allocations, 2);
	recording_close();
}

/* --- labels and actions are ranges --- */

static void label(uint64_t time_ns, const char *name)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin_ex, .name = cuda_recording_name(&c, name),
		  .scope = EVT_SCOPE_USER, .sequence = -1);
}

static void unlabel(uint64_t time_ns, const char *name, uint64_t thread)
{
	FRAME_PUT(c.r.fw, time_ns, torch_end_ex, .name = cuda_recording_name(&c, name),
		  .thread = thread);
}

static void operator_begins(uint64_t time_ns, const char *name)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin, .name = cuda_recording_name(&c, name));
}

static void operator_ends(uint64_t time_ns)
{
	FRAME_PUT(c.r.fw, time_ns, torch_end);
}

static void counts_within(const char *range, uint64_t allocations)
{
	read_with(range);
	assert_int_equal(heap->totals.allocations, allocations);
	assert_int_equal(run_filters(run)->seen, allocations > 0);
	recording_close();
}

TEST(labels_need_not_nest)
{
	recording_begin(1);
	label(10, "first");
	operator_begins(11, "first"); /* an operator of that name is none */
	label(12, "second");
	unlabel(20, "first", 0);
	allocate(30, 0x1000);
	operator_ends(40);
	unlabel(50, "second", 0);
	label(60, "first");
	allocate(70, 0x2000);
	unlabel(80, "first", 0);
	allocate(90, 0x3000);
	counts_within("first", 1);
}

TEST(operators_are_no_ranges)
{
	recording_begin(1);
	operator_begins(10, "aten::add");
	allocate(20, 0x1000);
	operator_ends(30);
	counts_within("aten::add", 0);
}

/* Before version 97 of events all ends were the innermost one's. */
TEST(labels_of_older_recordings_end_as_operators_do)
{
	recording_begin(1);
	label(10, "old");
	operator_begins(20, "aten::add");
	operator_ends(30);
	allocate(40, 0x1000);
	operator_ends(50); /* the label */
	allocate(60, 0x2000);
	counts_within("old", 1);
}

TEST(labels_end_where_events_were_lost)
{
	recording_begin(1);
	label(10, "outer");
	allocate(20, 0x1000);
	lose(50);
	allocate(60, 0x2000);
	unlabel(70, "outer", 0);
	counts_within("outer", 1);
}

TEST(labels_end_where_recording_stops)
{
	recording_begin(1);
	FRAME_PUT(c.r.fw, 5, capture_start, .name = 0);
	label(10, "outer");
	FRAME_PUT(c.r.fw, 15, action_begin, .name = cuda_recording_name(&c, "outer"));
	allocate(20, 0x1000);
	FRAME_PUT(c.r.fw, 50, capture_stop, .name = 0);
	FRAME_PUT(c.r.fw, 100, capture_start, .name = 0);
	allocate(110, 0x2000);
	counts_within("outer", 1);
}

TEST(labels_of_no_thread_hold_for_the_process)
{
	recording_begin(1);
	FRAME_PUT(c.r.fw, 10, torch_async_begin, .name = cuda_recording_name(&c, "all_reduce"),
		  .function = 0x7000);
	FRAME_PUT(c.r.fw, 11, torch_async_begin, .name = cuda_recording_name(&c, "other"),
		  .function = 0x8000);
	allocate(20, 0x1000);
	FRAME_PUT(c.r.fw, 30, torch_async_end, .function = 0x8000);
	allocate(40, 0x2000);
	FRAME_PUT(c.r.fw, 50, torch_async_end, .function = 0x7000);
	FRAME_PUT(c.r.fw, 51, torch_async_end, .function = 0x7000);
	allocate(60, 0x3000);
	counts_within("all_reduce", 2);
}

/* Whoever named it: NVTX, a label, an action; each ends on its own. */
TEST(ranges_of_one_name_add_up)
{
	recording_begin(1);
	push(10, "train");
	label(20, "train");
	FRAME_PUT(c.r.fw, 30, action_begin, .name = cuda_recording_name(&c, "train"));
	pop(40);
	allocate(41, 0x1000);
	unlabel(50, "train", 0);
	unlabel(51, "train", 0); /* of no label that is open */
	allocate(55, 0x2000);
	FRAME_PUT(c.r.fw, 60, action_end, .name = cuda_recording_name(&c, "train"));
	FRAME_PUT(c.r.fw, 61, action_end, .name = cuda_recording_name(&c, "train"));
	allocate(70, 0x3000);
	counts_within("train", 2);
}
