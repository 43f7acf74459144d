/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/lightning/actions.c, rows_actions.c: what actions took, from each source, over recordings
 * in memory.
 */
#include "tests/unit/unit.h"
#include "report/lightning/action_events.h"
#include "report/lightning/rows_actions.h"
#include "report/nvtx/range_events.h"
#include "report/torch/operator_events.h"
#include "report/session/source_open.h"
#include "tests/unit/cuda_recording.h"
#include "tests/unit/table_fixture.h"

#define USER 7u
#define COPIES 2 /* of a recording, as files of one session */

static struct cuda_recording c;
static struct source *source;
static struct run *run;
static struct actions *actions;
static struct table table;
static struct actions_totals totals;

static const struct filter_settings plain = { .pid = FILTER_NO_ID,
					      .tid = FILTER_NO_ID,
					      .to_ns = UINT64_MAX };

static void begin(unsigned int processes)
{
	cuda_recording_start(&c, processes);
	frame_begin_block(c.r.fw, 1);
}

static void begin_stream(uint32_t stream)
{
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, stream);
}

static void put(uint64_t time_ns, const char *name)
{
	FRAME_PUT(c.r.fw, time_ns, action_begin, .name = cuda_recording_name(&c, name));
}

static void end(uint64_t time_ns, const char *name)
{
	FRAME_PUT(c.r.fw, time_ns, action_end, .name = cuda_recording_name(&c, name));
}

static void put_operator(uint64_t time_ns, const char *name, unsigned int scope)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin_ex, .name = cuda_recording_name(&c, name),
		  .scope = scope, .sequence = -1, .thread = 1);
}

static void end_operator(uint64_t time_ns)
{
	FRAME_PUT(c.r.fw, time_ns, torch_end);
}

static void read_as(struct filter_settings options, size_t copies, bool total_row)
{
	static char path[COPIES][16] = { "one.evt", "two.evt" };
	struct session_file file[COPIES];
	struct actions_sources from;
	char message[256];

	for (size_t i = 0; i < copies; i++)
		file[i] = (struct session_file){ .path = path[i],
						 .bytes = bytes_of(c.r.bytes, c.r.length) };
	assert_int_equal(source_open_files(&source, file, copies, message, sizeof(message)), 0);
	run = run_new(source, &options);
	actions = actions_want(run, NULL);
	from = (struct actions_sources){ actions, operators_want_rows(run, NULL, OPERATORS_OF_USER),
					 ranges_want(run, NULL), source, false };
	run_read(run, false);
	table_init(&table, "actions", NULL);
	totals = actions_fill_table(&from, &table, total_row);
}

static void close_recording(void)
{
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, 1000000);
}

static void release_reading(void)
{
	table_release(&table);
	run_free(run);
	source_close(source);
}

static const struct cell *cell_of(size_t row, enum column_id column)
{
	return cell_at(&table, row, column);
}

static bool row_is(size_t row, const char *name)
{
	const struct cell *cell = cell_of(row, COLUMN_actions_name);

	return cell->length == strlen(name) && !memcmp(cell->text, name, cell->length);
}

static uint64_t number_of(const char *name, enum column_id column)
{
	for (size_t row = 0; row < table.row_count; row++)
		if (row_is(row, name))
			return cell_of(row, column)->number;
	fail_msg("no row '%s'", name);
	return 0;
}

#define EXPECT(name, column, value) \
	assert_int_equal(number_of(name, COLUMN_actions_##column), value)

TEST(actions_overlap_and_nest_by_name)
{
	begin(1);
	put(100, "A");
	put(150, "B");
	end(200, "A"); /* before B, which began in it */
	end(260, "B");
	put(300, "A");
	put(310, "A"); /* within itself: the inner one ends first */
	end(320, "A");
	end(340, "A");
	end(350, "A"); /* never begun */
	begin_stream(2);
	put(205, "B"); /* another thread's is another */
	end(215, "B");
	end(330, "A");
	close_recording();
	read_as(plain, 1, false);
	assert_int_equal(totals.source, ACTIONS_LIGHTNING);
	assert_int_equal(table.row_count, 2);
	EXPECT("A", calls, 3);
	EXPECT("A", total_ns, 100 + 10 + 40);
	EXPECT("A", mean_ns, 50);
	EXPECT("A", min_ns, 10);
	EXPECT("A", max_ns, 100);
	EXPECT("B", calls, 2);
	EXPECT("B", total_ns, 110 + 10);
	assert_int_equal(actions->unmatched, 2);
	assert_int_equal(totals.calls, 5);
	assert_int_equal(totals.wall_ns, 340 - 100);
	release_reading();
	cuda_recording_release(&c);
}

TEST(what_is_open_ends_with_its_process)
{
	begin(2);
	put(100, "A");
	put(110, "never");
	put(115, "never");
	end(130, "A");
	FRAME_PUT(c.r.fw, 200, nvtx_mark, .name = cuda_recording_name(&c, "last"));
	begin_stream(3);
	put(1000, "A");
	end(1500, "A");
	close_recording();
	read_as(plain, 1, false);
	EXPECT("A", calls, 2);
	EXPECT("A", open, 0);
	EXPECT("A", total_ns, 530);
	EXPECT("never", calls, 2);
	EXPECT("never", open, 2);
	EXPECT("never", total_ns, 90 + 85);
	assert_int_equal(totals.open, 2);
	/* of both processes, each from its own first begin */
	assert_int_equal(totals.wall_ns, 100 + 500);
	release_reading();
	cuda_recording_release(&c);
}

TEST(what_is_open_ends_where_recording_stops)
{
	begin(1);
	put(100, "A");
	put_operator(110, "aten::add", 0);
	FRAME_PUT(c.r.fw, 150, capture_stop, .name = cuda_recording_name(&c, "why"));
	FRAME_PUT(c.r.fw, 400, capture_start, .name = cuda_recording_name(&c, "why"));
	end(410, "A"); /* of the one before */
	put(420, "A");
	end(440, "A");
	close_recording();
	read_as(plain, 1, false);
	EXPECT("A", calls, 2);
	EXPECT("A", open, 1);
	EXPECT("A", total_ns, 50 + 20);
	assert_int_equal(actions->unmatched, 1);
	release_reading();
	cuda_recording_release(&c);
}

TEST(rows_of_ranks_and_files_are_one)
{
	begin(2);
	put(100, "A");
	end(200, "A");
	begin_stream(3);
	put(100, "A");
	end(400, "A");
	put(410, "only here");
	end(420, "only here");
	close_recording();
	read_as(plain, COPIES, false);
	assert_int_equal(table.row_count, 2);
	EXPECT("A", calls, 4);
	EXPECT("A", total_ns, 800);
	EXPECT("only here", calls, 2);
	assert_int_equal(totals.wall_ns, 2 * (100 + 320));
	assert_true(cell_of(0, COLUMN_actions_percent)->real > 95.2 &&
		    cell_of(0, COLUMN_actions_percent)->real < 95.3);
	release_reading();
	{
		struct filter_settings second = plain;

		second.pid = 101;
		read_as(second, 1, false);
		EXPECT("A", calls, 1);
		EXPECT("A", total_ns, 300);
		assert_int_equal(totals.wall_ns, 320);
		release_reading();
	}
	cuda_recording_release(&c);
}

TEST(an_action_counts_where_it_begins)
{
	struct filter_settings some = plain;

	some.from_ns = 200;
	some.to_ns = 300;
	begin(1);
	put(100, "A");
	end(210, "A");
	put(220, "B");
	put(230, "C");
	end(240, "C");
	end(350, "B");
	put(400, "D");
	end(410, "D");
	close_recording();
	read_as(some, 1, false);
	assert_int_equal(table.row_count, 2);
	EXPECT("B", total_ns, 130);
	EXPECT("C", total_ns, 10);
	assert_int_equal(totals.wall_ns, 130);
	release_reading();
	cuda_recording_release(&c);
}

TEST(user_scopes_stand_in)
{
	begin(1);
	FRAME_PUT(c.r.fw, 10, nvtx_push, .name = cuda_recording_name(&c, "range"));
	put_operator(50, "aten::mul", 0);
	end_operator(60);
	put_operator(100, "step", USER);
	put_operator(110, "aten::add", 0);
	put_operator(120, "Optimizer.step#SGD.step", USER);
	end_operator(150);
	end_operator(160);
	end_operator(200);
	put_operator(210, "ProfilerStep#1", USER);
	end_operator(220);
	put_operator(230, "ProfilerStep#2", USER);
	end_operator(240);
	put_operator(250, "aten::mul", 0);
	end_operator(900);
	end_operator(910); /* without a begin */
	FRAME_PUT(c.r.fw, 990, nvtx_pop, .domain = 0);
	close_recording();
	read_as(plain, 1, false);
	assert_int_equal(totals.source, ACTIONS_SCOPES);
	assert_int_equal(table.row_count, 3);
	EXPECT("step", total_ns, 100);
	EXPECT("Optimizer.step#SGD.step", total_ns, 30);
	EXPECT("ProfilerStep*", calls, 2);
	assert_int_equal(totals.calls, 4);
	assert_int_equal(totals.wall_ns, 240 - 100);
	release_reading();
	cuda_recording_release(&c);
}

TEST(a_scope_that_never_ends_is_wall_time)
{
	begin(1);
	put_operator(100, "step", USER);
	put_operator(110, "aten::add", 0);
	FRAME_PUT(c.r.fw, 300, nvtx_mark, .name = cuda_recording_name(&c, "last"));
	close_recording();
	read_as(plain, 1, false);
	assert_int_equal(totals.source, ACTIONS_SCOPES);
	EXPECT("step", open, 1);
	EXPECT("step", total_ns, 200);
	assert_int_equal(totals.wall_ns, 200);
	release_reading();
	cuda_recording_release(&c);
}

TEST(nvtx_ranges_stand_in)
{
	begin(1);
	put_operator(5, "aten::mul", 0);
	end_operator(6);
	FRAME_PUT(c.r.fw, 100, nvtx_push, .name = cuda_recording_name(&c, "outer"));
	FRAME_PUT(c.r.fw, 110, nvtx_push, .name = cuda_recording_name(&c, "inner"));
	FRAME_PUT(c.r.fw, 120, nvtx_pop, .domain = 0);
	FRAME_PUT(c.r.fw, 130, nvtx_push, .name = cuda_recording_name(&c, "inner"));
	FRAME_PUT(c.r.fw, 135, nvtx_pop, .domain = 0);
	FRAME_PUT(c.r.fw, 200, nvtx_pop, .domain = 0);
	close_recording();
	read_as(plain, 1, false);
	assert_int_equal(totals.source, ACTIONS_RANGES);
	EXPECT("outer", total_ns, 100);
	EXPECT("inner", calls, 2);
	EXPECT("inner", total_ns, 15);
	assert_int_equal(totals.wall_ns, 100);
	release_reading();
	cuda_recording_release(&c);
}

TEST(the_total_stays_first)
{
	struct arrangement arrangement = { .sort = 0, .limit = 1 };

	begin(1);
	put(100, "B");
	put(110, "A");
	end(120, "A");
	end(200, "B");
	close_recording();
	read_as(plain, 1, true);
	assert_int_equal(table.row_count, 3);
	table_arrange(&table, &arrangement);
	assert_int_equal(table.shown, 2);
	assert_int_equal(table.passed, 3);
	assert_true(row_is(table.order[0], "Total"));
	assert_true(row_is(table.order[1], "A"));
	EXPECT("Total", total_ns, 100);
	EXPECT("Total", calls, 2);
	assert_int_equal(cell_of(0, COLUMN_actions_mean_ns)->kind, CELL_NONE);
	release_reading();
	cuda_recording_release(&c);
}

TEST(nothing_has_no_total)
{
	begin(1);
	put_operator(5, "aten::mul", 0);
	end_operator(6);
	end(10, "A");
	close_recording();
	read_as(plain, 1, true);
	assert_int_equal(table.row_count, 0);
	assert_int_equal(totals.calls, 0);
	assert_int_equal(totals.wall_ns, 0);
	release_reading();
	cuda_recording_release(&c);
}
