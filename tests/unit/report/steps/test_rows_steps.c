/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/steps/rows_steps.c, step_events.c: which steps are listed, and what made them long. */
#include "report/steps/rows_steps.h"
#include "report/steps/step_events.h"
#include "tests/unit/table_fixture.h"
#include "tests/unit/run_fixture.h"

#define STEP_NS 100u

static struct steps *steps;
static struct table table;

static void mark(uint64_t time_ns, uint64_t number, const char *name)
{
	FRAME_PUT(c.r.fw, time_ns, step, .number = number, .name = cuda_recording_name(&c, name));
}

static void runs(uint64_t time_ns, uint64_t duration_ns, const char *name)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin, .name = cuda_recording_name(&c, name));
	time_ns += duration_ns;
	frame_put(c.r.fw, EVT_torch_end, time_ns, &time_ns); /* it has no field */
}

static void finish(void)
{
	recording_end(1000000);
	run = run_new(source, &recording_whole);
	steps = steps_want(run, &(struct steps_options){ .wants_rows = true });
	run_read(run, false);
	table_init(&table, "steps", NULL);
	steps_fill_table(&(struct steps_shown){ .steps = steps, .source = source, .has_gc = true },
			 &table);
}

static void release(void)
{
	table_release(&table);
	recording_close();
}

static const struct cell *cell_of(size_t row, enum column_id column)
{
	return cell_at(&table, row, column);
}

TEST(one_very_long_step_hides_no_other)
{
	static const uint64_t cpu_ns[] = { 50, 50, 50000, 50, 90, 50, 50 };
	uint64_t at = 1000;

	recording_begin(1);
	mark(at, 0, "step");
	for (size_t i = 0; i < sizeof(cpu_ns) / sizeof(cpu_ns[0]); i++) {
		runs(at + 10, cpu_ns[i], "aten::mm");
		at += cpu_ns[i] + 50;
		mark(at, i + 1, "step");
	}
	finish();
	assert_int_equal(table.row_count, 7);
	assert_int_equal(cell_of(0, COLUMN_steps_excess)->kind, CELL_NONE);
	assert_int_equal(cell_of(2, COLUMN_steps_excess_ns)->number, 50000 - 50);
	assert_int_equal(cell_of(4, COLUMN_steps_excess_ns)->number, 90 - 50);
	assert_memory_equal(cell_of(4, COLUMN_steps_excess)->text, "operators", 9);
	release();
}

/* Three steps whose second and third are idle. */
static void three_steps(const char *name)
{
	recording_begin(1);
	mark(1000, 0, name);
	runs(1010, 50, "aten::mm");
	mark(1000 + STEP_NS, 1, name);
	mark(1000 + 2 * STEP_NS, 2, name);
	mark(1000 + 3 * STEP_NS, 3, name);
	finish();
}

TEST(what_the_profiler_ends_at_its_stop_is_no_step)
{
	three_steps("ProfilerStep");
	assert_int_equal(table.row_count, 2);
	assert_int_equal(steps->time.count, 2);
	release();
	three_steps("Optimizer.step#SGD.step");
	assert_int_equal(table.row_count, 3);
	release();
}
