/* SPDX-License-Identifier: MIT */
/*
 * The timeline: what nests, what has no end, and that nothing is lost when short spans are merged
 * for lack of room.
 */
/* links: report */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "report/page/timeline.h"

static void put_slice(struct timeline *timeline, const char *name, struct trace_slice slice)
{
	slice.event.category = slice.id ? TRACE_ANNOTATION : TRACE_OPERATOR;
	slice.event.name.text = name;
	slice.event.name.length = strlen(name);
	slice.event.pid = 1;
	slice.event.tid = 2;
	timeline_writer.slice(timeline, &slice);
}

static void put(struct timeline *timeline, const char *name, uint64_t start, uint64_t length)
{
	put_slice(timeline, name,
		  (struct trace_slice){ .event.time_ns = start, .duration_ns = length });
}

TEST(test_depths)
{
	struct timeline timeline;

	timeline_init(&timeline);
	put(&timeline, "inner", 10, 5); /* at its end: before what is around it */
	put(&timeline, "inner", 20, 5);
	put(&timeline, "outer", 10, 20);
	put(&timeline, "next", 30, 1);
	timeline_settle(&timeline, 100);
	assert_int_equal(timeline.count, 4);
	assert_int_equal(timeline.lane[0].depths, 2);
	assert_int_equal(timeline.span[0].start_ns, 10);
	assert_int_equal(timeline.span[0].duration_ns, 20);
	assert_int_equal(timeline.span[1].start_ns, 30);
	assert_int_equal(timeline.span[2].depth, 1);
	assert_int_equal(timeline.span[2].start_ns, 10);
	assert_int_equal(timeline.span[3].start_ns, 20);
	assert_int_equal(timeline.span[2].name, timeline.span[3].name);
	assert_int_equal(timeline.all, 4);
	timeline_release(&timeline);
}

/* What never ended is open to the end, and is called so; a range of a process has two ends. */
TEST(test_ends)
{
	struct timeline timeline;

	timeline_init(&timeline);
	put_slice(&timeline, "runs on",
		  (struct trace_slice){ .event.time_ns = 40, .runs_on = true });
	put_slice(&timeline, "range",
		  (struct trace_slice){ .event.time_ns = 5, .duration_ns = 4, .id = 7 });
	put_slice(&timeline, "open",
		  (struct trace_slice){
			  .event.time_ns = 6, .duration_ns = 50, .is_cut = true, .id = 8 });
	put_slice(&timeline, "cut",
		  (struct trace_slice){ .event.time_ns = 45, .duration_ns = 5, .is_cut = true });
	timeline_settle(&timeline, 100);
	assert_int_equal(timeline.all, 4);
	assert_int_equal(timeline.count, 4);
	assert_int_equal(timeline.lanes, 2);
	assert_int_equal(timeline.span[0].duration_ns, 60);
	assert_string_equal(timeline.name[timeline.span[0].name].json,
			    "\"runs on (end not recorded)\"");
	assert_int_equal(timeline.span[1].duration_ns, 5);
	assert_string_equal(timeline.name[timeline.span[1].name].json,
			    "\"cut (end not recorded)\"");
	assert_int_equal(timeline.span[2].duration_ns, 4);
	assert_int_equal(timeline.span[3].duration_ns, 94);
	assert_string_equal(timeline.name[timeline.span[3].name].json,
			    "\"open (end not recorded)\"");
	timeline_release(&timeline);
}

/* Times that a damaged file says: behind the end, longer than can be. */
TEST(test_wrong_times)
{
	struct timeline timeline;

	timeline_init(&timeline);
	put(&timeline, "late", 500, 5);
	put(&timeline, "long", 50, UINT64_MAX);
	put(&timeline, "last", UINT64_MAX, UINT64_MAX);
	timeline_settle(&timeline, 100);
	for (size_t i = 0; i < timeline.count; i++)
		assert_true(timeline.span[i].start_ns + timeline.span[i].duration_ns <= 100);
	timeline_release(&timeline);
}

TEST(test_many)
{
	struct timeline timeline;
	uint64_t count = 0, busy = 0, spans = SPANS_MAX + SPANS_MAX / 4;

	timeline_init(&timeline);
	for (uint64_t i = 0; i < spans; i++)
		put_slice(&timeline, i % 2 ? "a" : "b",
			  (struct trace_slice){
				  .event = { .name.number = 1 + i % 2, .time_ns = 100 * i },
				  .duration_ns = i % 1000 ? 20 : 100000 });
	assert_true(timeline.count < SPANS_MAX);
	assert_true(timeline.grain_ns > 0);
	timeline_settle(&timeline, 100 * spans + 100000);
	for (size_t i = 0; i < timeline.count; i++) {
		count += timeline.span[i].count;
		busy += timeline.span[i].busy_ns;
	}
	assert_int_equal(count, spans);
	assert_int_equal(timeline.all, spans);
	assert_int_equal(busy, spans / 1000 * 100000 + (spans - spans / 1000) * 20);
	timeline_release(&timeline);
}

static void put_flow(struct timeline *timeline, enum trace_category category, uint64_t from,
		     uint64_t to)
{
	timeline_writer.flow(timeline, &(struct trace_flow){ .category = category,
							     .pid = 1,
							     .tid = 2,
							     .time_ns = from,
							     .to_pid = category == TRACE_BACKWARD,
							     .to_tid = 2,
							     .to_ns = to });
}

/* In the order of their begins; nothing is behind the end of the run. */
TEST(test_arrows)
{
	struct timeline timeline;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	timeline_init(&timeline);
	put_flow(&timeline, TRACE_WORK, 50, 70);
	put_flow(&timeline, TRACE_BACKWARD, 20, 300);
	timeline_settle(&timeline, 100);
	assert_int_equal(timeline.arrows.all, 2);
	arrows_put(&timeline.arrows, out);
	fclose(out);
	assert_int_equal(timeline.lane[0].kind, LANE_THREAD);
	assert_int_equal(timeline.lane[1].kind, LANE_STREAM);
	assert_string_equal(text, "[[0,0],[20,30],[0,1],[80,20]]\n");
	assert_int_equal(timeline.all, 0);
	free(text);
	timeline_release(&timeline);
}

/*
 * Beyond the room every second one stays: the count is of all, and those left are of the whole run.
 */
TEST(test_arrows_many)
{
	struct timeline timeline;
	const uint64_t count = 3 * ARROWS_MAX;

	timeline_init(&timeline);
	for (uint64_t i = 0; i < count; i++)
		put_flow(&timeline, TRACE_BACKWARD, 10 * i, 10 * i + 3);
	timeline_settle(&timeline, 10 * count);
	assert_int_equal(timeline.arrows.all, count);
	assert_in_range(timeline.arrows.count, ARROWS_MAX / 2, ARROWS_MAX - 1);
	for (size_t i = 1; i < timeline.arrows.count; i++)
		assert_int_equal(timeline.arrows.arrow[i].from_ns -
					 timeline.arrows.arrow[i - 1].from_ns,
				 10 * timeline.arrows.step);
	assert_true(timeline.arrows.arrow[timeline.arrows.count - 1].from_ns >
		    10 * count - 20 * timeline.arrows.step);
	timeline_release(&timeline);
}
