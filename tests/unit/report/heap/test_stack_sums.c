/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/heap/stack_sums.c, growth.c, report/stacks/stack_keys.c: what stacks hold, over recordings
 * in memory.
 */
#include "report/options/keys.h"
#include "report/heap/growth.h"
#include "report/heap/heap_events.h"
#include "report/heap/stack_sums.h"
#include "report/io/rows_io.h"
#include "report/summary/summary.h"
#include "tests/unit/run_fixture.h"

#define TICK 1024ull /* ns: a file keeps times in larger units */

static struct heap *heap;
static struct growth *growth;
static struct stack_rows rows;
static struct stack_sums sums;
static struct growth_curve *curves;
static struct growth_said *said;

/*
 * A stack of addresses, the outermost first; no module is known, so that their names are these
 * numbers.
 */
static uint64_t stack_of(uint64_t outer, uint64_t inner)
{
	return recording_stack_of(&c.r, (const uint64_t[]){ outer, inner }, 2);
}

static void born(uint64_t time_ns, uint64_t address, uint64_t size, uint64_t stack)
{
	const struct evt_malloc fields = { .ptr = address, .size = size };

	frame_put_stack(c.r.fw, EVT_malloc, time_ns, (const uint64_t *)&fields, stack);
}

static void dies(uint64_t time_ns, uint64_t address)
{
	FRAME_PUT(c.r.fw, time_ns, free, .ptr = address);
}

static void finish_recording(void)
{
	recording_end(1000000);
}

static void read_heap(const struct filter_settings *settings, enum stack_by by,
		      const struct options *options)
{
	run = run_new(source, settings);
	heap = heap_want(run, &(struct heap_options){ .by = BY_alloc_stack });
	growth = growth_want(run, NULL);
	run_read(run, false);
	stack_rows_init(&rows, source, options, by, STACK_COLUMNS_NONE);
	sums = (struct stack_sums){ .keeps_places = true };
	stack_sums_make(&sums, heap, source, &rows, WEIGHT_KEPT);
	curves = growth_curves_whole(growth, sums.place, sums.count, NULL);
	said = growth_say(growth, sums.place, sums.count, NULL);
}

static void release(void)
{
	free(curves);
	free(said);
	stack_sums_release(&sums);
	stack_rows_release(&rows);
	recording_close();
}

/* The place whose stack has that text. */
static size_t place_of(const char *text)
{
	for (size_t i = 0; i < sums.count; i++)
		if (!strcmp(named_stack_text(&rows.names, rows.place[i].stack, &rows.names.texts),
			    text))
			return i;
	fail_msg("no stack %s", text);
	return 0;
}

static struct stack_sum sum_of(const char *text)
{
	return stack_sums_get(&sums, place_of(text));
}

/* Two stacks with the same innermost frame; the peak is at the third tick: 100 + 20 + 7. */
static void put_usual(void)
{
	born(1 * TICK, 0x1000, 100, stack_of(0x10, 0x20));
	born(2 * TICK, 0x2000, 20, stack_of(0x11, 0x20));
	born(3 * TICK, 0x3000, 7, stack_of(0x10, 0x21));
	dies(4 * TICK, 0x1000);
	born(5 * TICK, 0x4000, 50, stack_of(0x10, 0x20));
	dies(6 * TICK, 0x3000);
}

TEST(what_stacks_hold_adds_up_to_the_heap)
{
	uint64_t bytes = 0, kept = 0, peak = 0, peak_blocks = 0;

	recording_begin(1);
	put_usual();
	finish_recording();
	read_heap(&recording_whole, STACK_BY_STACK, NULL);
	assert_int_equal(sums.count, 3);
	assert_int_equal(sum_of("0x10;0x20").row.bytes_allocated, 150);
	assert_int_equal(sum_of("0x10;0x20").row.allocations, 2);
	assert_int_equal(sum_of("0x10;0x20").row.kept_bytes, 50);
	assert_int_equal(sum_of("0x10;0x20").row.kept_allocations, 1);
	assert_int_equal(sum_of("0x10;0x20").row.peak_bytes, 100);
	assert_int_equal(sum_of("0x10;0x20").row.peak_allocations, 1);
	assert_int_equal(sum_of("0x10;0x20").first_ns, 1 * TICK);
	assert_int_equal(sum_of("0x10;0x20").latest_ns, 5 * TICK);
	assert_int_equal(sum_of("0x11;0x20").row.kept_bytes, 20);
	assert_int_equal(sum_of("0x10;0x21").row.kept_bytes, 0);
	assert_int_equal(sum_of("0x10;0x21").row.peak_bytes, 7);
	for (size_t i = 0; i < sums.count; i++) {
		bytes += stack_sums_get(&sums, i).row.bytes_allocated;
		kept += stack_sums_get(&sums, i).row.kept_bytes;
		peak += stack_sums_get(&sums, i).row.peak_bytes;
		peak_blocks += stack_sums_get(&sums, i).row.peak_allocations;
	}
	assert_int_equal(heap->totals.bytes_allocated, 177);
	assert_int_equal(bytes, heap->totals.bytes_allocated);
	assert_int_equal(heap->totals.kept_bytes, 70);
	assert_int_equal(kept, heap->totals.kept_bytes);
	assert_int_equal(heap->totals.peak_bytes, 127);
	assert_int_equal(peak, heap->totals.peak_bytes);
	assert_int_equal(heap->totals.peak_allocations, 3);
	assert_int_equal(peak_blocks, heap->totals.peak_allocations);
	release();
}

/* A filter takes another way through the heap, event by event: the same comes out. */
TEST(filters_give_the_same_stacks)
{
	struct filter_settings first_part = recording_whole;

	first_part.to_ns = 4 * TICK + 1;
	recording_begin(1);
	put_usual();
	finish_recording();
	read_heap(&first_part, STACK_BY_STACK, NULL);
	assert_int_equal(sum_of("0x10;0x20").row.bytes_allocated, 100);
	assert_int_equal(sum_of("0x10;0x21").row.bytes_allocated, 7);
	assert_int_equal(heap->totals.bytes_allocated, 127);
	release();
}

TEST(functions_are_of_the_innermost_frame)
{
	recording_begin(1);
	put_usual();
	finish_recording();
	read_heap(&recording_whole, STACK_BY_FUNCTION, NULL);
	assert_int_equal(sums.count, 2);
	assert_int_equal(stack_sums_get(&sums, 0).row.bytes_allocated, 170);
	assert_int_equal(stack_sums_get(&sums, 1).row.bytes_allocated, 7);
	/* of both stacks the one that keeps more is shown */
	assert_string_equal(named_stack_text(&rows.names, rows.place[0].stack, &rows.names.texts),
			    "0x10;0x20");
	release();
}

TEST(a_filter_is_about_any_frame)
{
	const char *filters[] = { "stack~0x11" };
	const struct options options = { .filter = filters, .filter_count = 1 };

	recording_begin(1);
	put_usual();
	finish_recording();
	read_heap(&recording_whole, STACK_BY_FUNCTION, &options);
	assert_int_equal(sums.count, 1);
	assert_int_equal(stack_sums_get(&sums, 0).row.bytes_allocated, 20);
	release();
}

/* A recording with callers only: a stack is one frame. */
TEST(callers_are_stacks_of_one_frame)
{
	recording_begin(1);
	FRAME_PUT(c.r.fw, 100, malloc, .ptr = 0x1000, .size = 5, .caller = 0x77);
	FRAME_PUT(c.r.fw, 110, malloc, .ptr = 0x2000, .size = 6, .caller = 0x77);
	FRAME_PUT(c.r.fw, 120, malloc, .ptr = 0x3000, .size = 1);
	finish_recording();
	read_heap(&recording_whole, STACK_BY_STACK, NULL);
	assert_int_equal(sums.count, 2);
	assert_int_equal(sum_of("0x77").row.kept_bytes, 11);
	assert_int_equal(sum_of("(unknown)").row.kept_bytes, 1);
	assert_false(rows.names.is_deep);
	release();
}

TEST(processes_share_their_stacks)
{
	recording_begin(2);
	born(100, 0x1000, 5, stack_of(0x10, 0x20));
	on_stream(3);
	born(110, 0x1000, 6, stack_of(0x10, 0x20));
	finish_recording();
	read_heap(&recording_whole, STACK_BY_STACK, NULL);
	assert_int_equal(heap->row_count, 2);
	assert_int_equal(sums.count, 1);
	assert_int_equal(stack_sums_get(&sums, 0).row.kept_bytes, 11);
	release();
}

#define STEPS 100u
#define STEP_NS 1000u

/*
 * 10 bytes a step leak; 64 a step stay up to step 20; 1000 are there before the first one; and what
 * is freed again.
 */
static void put_steps(void)
{
	born(1, 0x900000, 1000, stack_of(0x10, 0x40));
	for (uint64_t step = 0; step < STEPS; step++) {
		uint64_t now = STEP_NS + step * STEP_NS;

		FRAME_PUT(c.r.fw, now, step, .number = step);
		born(now + 1, 0x100000 + step * 64, 10, stack_of(0x10, 0x41));
		if (step < 20)
			born(now + 2, 0x200000 + step * 64, 64, stack_of(0x10, 0x42));
		born(now + 3, 0x300000, 5000, stack_of(0x10, 0x43));
		dies(now + 4, 0x300000);
	}
}

static enum growth_verdict verdict_of(const char *text, double *ret_per_step)
{
	*ret_per_step = said[place_of(text)].per_step;
	return said[place_of(text)].verdict;
}

TEST(what_grows_is_told_from_what_stays)
{
	double per_step;

	recording_begin(1);
	put_steps();
	finish_recording();
	read_heap(&recording_whole, STACK_BY_STACK, NULL);
	assert_int_equal(growth_steps(growth), STEPS);
	assert_int_equal(verdict_of("0x10;0x41", &per_step), GROWTH_STEADY);
	assert_float_equal(per_step, 10, 0.001);
	assert_int_equal(verdict_of("0x10;0x42", &per_step), GROWTH_STOPPED);
	assert_int_equal(verdict_of("0x10;0x40", &per_step), GROWTH_EARLIER);
	assert_int_equal(sum_of("0x10;0x43").row.kept_bytes, 0);
	assert_int_equal(sum_of("0x10;0x41").row.kept_bytes, 10 * STEPS);
	release();
}

/*
 * What a rank allocates in its steps: in place 0x41 it leaks so much, in 0x44 if it is `other`;
 * 0x45 is freed behind the last but for one that was there before.
 */
static void put_rank(uint64_t leaks, bool is_other)
{
	born(2, 0x500000, 7, stack_of(0x10, 0x45));
	for (uint64_t step = 0; step < STEPS; step++) {
		uint64_t now = STEP_NS + step * STEP_NS;

		FRAME_PUT(c.r.fw, now, step, .number = step);
		born(now + 1, 0x100000 + step * 64, leaks, stack_of(0x10, 0x41));
		if (step < 20)
			born(now + 2, 0x200000 + step * 64, 64, stack_of(0x10, 0x42));
		if (is_other || step < 20)
			born(now + 3, 0x300000 + step * 64, 32, stack_of(0x10, 0x44));
		born(now + 4, 0x400000 + step * 64, 7, stack_of(0x10, 0x45));
	}
	for (uint64_t step = 0; step < STEPS; step++)
		dies((STEPS + 1) * STEP_NS + step, 0x400000 + step * 64);
}

/*
 * Ranks run the same code: each is judged by steps of its own, and what they say is put together.
 */
TEST(ranks_grow_at_the_same_place)
{
	double per_step;

	recording_begin(3);
	born(1, 0x900000, 1000, stack_of(0x10, 0x40));
	put_rank(10, false);
	on_stream(3);
	born(1, 0x900000, 1000, stack_of(0x10, 0x40));
	put_rank(30, true);
	on_stream(5); /* no steps: a worker says nothing of the others' */
	born(STEP_NS * STEPS, 0x900000, 100000, stack_of(0x10, 0x41));
	born(STEP_NS * STEPS, 0xa00000, 7, stack_of(0x10, 0x45));
	finish_recording();
	read_heap(&recording_whole, STACK_BY_STACK, NULL);
	assert_int_equal(verdict_of("0x10;0x41", &per_step), GROWTH_STEADY);
	assert_float_equal(per_step, 40, 0.001);
	assert_int_equal(verdict_of("0x10;0x42", &per_step), GROWTH_STOPPED);
	assert_int_equal(verdict_of("0x10;0x40", &per_step), GROWTH_EARLIER);
	/* one of them is enough, and only what it grows by counts */
	assert_int_equal(verdict_of("0x10;0x44", &per_step), GROWTH_STEADY);
	assert_float_equal(per_step, 32, 0.001);
	assert_int_equal(verdict_of("0x10;0x45", &per_step), GROWTH_STEADY);
	assert_float_equal(per_step, 14, 0.001);
	release();
}

#define ROUNDS 40u
#define REQUESTS 1000u /* a round */
#define ROUND_NS (1000u * TICK)
#define MS 1000000ull

/*
 * A request of a server: what leaks, a cache of 500 blocks that are replaced, what comes and goes
 * in waves.
 */
static void put_request(uint64_t round, uint64_t request, uint64_t now)
{
	uint64_t number = round * REQUESTS + request, slot = 0x8000000 + number % 500 * 64;

	born(now, 0x40000000 + number * 64, 10, stack_of(0x10, 0x41));
	if (number >= 500)
		dies(now, slot);
	born(now, slot, 64, stack_of(0x10, 0x42));
	if (round % 3 < 2)
		born(now, 0x300000 + number * 64, 64, stack_of(0x10, 0x43));
	for (uint64_t before = 1; round % 3 == 2 && before < 3; before++)
		dies(now, 0x300000 + (number - before * REQUESTS) * 64);
}

/* A server: no steps; the collector looks at its memory between the rounds. */
static void put_server(void)
{
	for (uint64_t round = 0; round < ROUNDS; round++) {
		uint64_t now = (round + 1) * ROUND_NS;

		if (round < 2)
			born(now, 0x900000 + round * 64, 7, stack_of(0x10, 0x44));
		if (round > ROUNDS - 4)
			born(now, 0x900000 + round * 64, 7, stack_of(0x10, 0x45));
		for (uint64_t request = 0; request < REQUESTS; request++)
			put_request(round, request, now + request * TICK / 2);
		on_stream(0);
		FRAME_PUT(c.r.fw, now + ROUND_NS - TICK, process_memory, .process = 1,
			  .resident_bytes = round);
		frame_end_block(c.r.fw);
		recording_close_frame(&c.r, now + ROUND_NS - TICK);
		frame_begin_block(c.r.fw, 1);
	}
}

static enum growth_verdict whole_verdict_at(const char *text, uint64_t end_ns)
{
	struct stack_sum sum = sum_of(text);

	return growth_judge_whole(
		growth, &curves[place_of(text)],
		&(struct growth_span){ sum.first_ns, sum.latest_ns, sum.row.kept_bytes, end_ns });
}

static enum growth_verdict whole_verdict_of(const char *text)
{
	return whole_verdict_at(text, (ROUNDS + 1) * ROUND_NS);
}

TEST(a_server_grows_without_steps)
{
	struct filter_settings of_process = recording_whole;

	of_process.pid = 100;
	for (unsigned int is_filtered = 0; is_filtered < 2; is_filtered++) {
		recording_begin(1);
		put_server();
		finish_recording();
		read_heap(is_filtered ? &of_process : &recording_whole, STACK_BY_STACK, NULL);
		assert_int_equal(growth_steps(growth), 0);
		assert_true(growth_is_whole(growth));
		/*
		 * where the number of allocations puts them, however records come; events wait in a
		 * queue
		 */
		for (size_t i = 0; !is_filtered && i < growth->whole.looks; i++)
			assert_int_equal(growth->whole.look[i].step % 1024, 0);
		assert_int_equal(whole_verdict_of("0x10;0x41"), GROWTH_STEADY);
		assert_int_equal(whole_verdict_of("0x10;0x42"), GROWTH_STOPPED);
		assert_int_equal(whole_verdict_of("0x10;0x43"), GROWTH_UNEVEN);
		assert_int_equal(whole_verdict_of("0x10;0x44"), GROWTH_PAUSED);
		assert_int_equal(whole_verdict_of("0x10;0x45"), GROWTH_LATE);
		release();
	}
}

/* What a run of less than a second waits for at its end may be the machine. */
TEST(a_long_run_is_judged_by_time_as_well)
{
	recording_begin(1);
	put_server();
	finish_recording();
	read_heap(&recording_whole, STACK_BY_STACK, NULL);
	assert_int_equal(whole_verdict_at("0x10;0x41", 10 * ROUNDS * ROUND_NS), GROWTH_STEADY);
	assert_int_equal(whole_verdict_at("0x10;0x41", 999 * MS), GROWTH_STEADY);
	assert_int_equal(whole_verdict_at("0x10;0x41", 3000 * MS), GROWTH_PAUSED);
	release();
}

/* Steps are the better measure: with them nothing is judged by allocations. */
TEST(the_first_step_ends_looks_at_the_whole)
{
	double per_step;

	recording_begin(1);
	put_server();
	for (uint64_t step = 0; step < STEPS; step++) {
		uint64_t now = (ROUNDS + 1) * ROUND_NS + step * TICK;

		FRAME_PUT(c.r.fw, now, step, .number = step);
		born(now + TICK / 2, 0x100000 + step * 64, 10, stack_of(0x10, 0x46));
	}
	finish_recording();
	read_heap(&recording_whole, STACK_BY_STACK, NULL);
	assert_false(growth_is_whole(growth));
	assert_int_equal(whole_verdict_of("0x10;0x41"), GROWTH_UNKNOWN);
	assert_int_equal(verdict_of("0x10;0x41", &per_step), GROWTH_EARLIER);
	assert_int_equal(verdict_of("0x10;0x46", &per_step), GROWTH_STEADY);
	assert_float_equal(per_step, 10, 0.001);
	release();
}

/* Blocks in flight: a loader has more or fewer of them each time somebody looks. */
TEST(what_goes_up_and_down_does_not_grow)
{
	static const uint64_t loader[] = { 0,    4800, 10944, 6336, 384,  6528, 576,  6720, 768,
					   6912, 960,  7104,  1152, 7296, 1344, 7488, 1536 };
	struct growth_curve curve = { .looks = sizeof(loader) / sizeof(loader[0]) };
	double per_step;

	for (size_t i = 0; i < curve.looks; i++) {
		curve.bytes[i] = loader[i];
		curve.step[i] = i * 32;
	}
	assert_int_equal(growth_judge(&curve, 6912, &per_step), GROWTH_UNEVEN);
	/* what leaks beside that, and more, is seen */
	for (size_t i = 0; i < curve.looks; i++)
		curve.bytes[i] += i * 8000;
	assert_int_equal(growth_judge(&curve, 140000, &per_step), GROWTH_STEADY);
}

TEST(a_few_steps_say_nothing)
{
	double per_step;

	recording_begin(1);
	for (uint64_t step = 0; step < GROWTH_LOOKS_MIN - 1; step++) {
		FRAME_PUT(c.r.fw, 100 + step * 10, step, .number = step);
		born(101 + step * 10, 0x1000 + step * 64, 10, stack_of(0x10, 0x41));
	}
	finish_recording();
	read_heap(&recording_whole, STACK_BY_STACK, NULL);
	assert_int_equal(verdict_of("0x10;0x41", &per_step), GROWTH_UNKNOWN);
	release();
}

static char *summary_line(void)
{
	struct summary summary = { .source = source, .run = run, .heap = heap, .growth = growth };
	struct screen screen = { .width = 100 };
	char *text = NULL;
	size_t length;

	screen.out = open_memstream(&text, &length);
	summary_print_leak(&summary, &screen);
	fclose(screen.out);
	return text;
}

static void put_leak(uint64_t bytes)
{
	for (uint64_t step = 0; step < STEPS; step++) {
		FRAME_PUT(c.r.fw, (step + 1) * STEP_NS, step, .number = step);
		born((step + 1) * STEP_NS + 1, 0x100000 + step * 4096, bytes, stack_of(0x10, 0x41));
	}
}

TEST(the_summary_says_what_grows)
{
	char *text;

	recording_begin(1);
	put_leak(2048);
	finish_recording();
	read_heap(&recording_whole, STACK_BY_STACK, NULL);
	text = summary_line();
	assert_string_equal(text, "      what 0x41 asks for grows by 2.00 KiB a step, to 200 KiB: "
				  "prof-report leaks\n");
	free(text);
	release();
}

TEST(the_summary_does_not_cry_over_little)
{
	char *text;

	recording_begin(1);
	put_leak(10);
	finish_recording();
	read_heap(&recording_whole, STACK_BY_STACK, NULL);
	text = summary_line();
	assert_string_equal(text, "");
	free(text);
	release();
}

/* Rows of calls by who called: equal ones become one, and totals stay. */
TEST(calls_are_by_who_called)
{
	const struct options options = { .format = FORMAT_CSV };
	struct io_reading *reading;
	struct table table;

	recording_begin(2);
	for (unsigned int i = 0; i < 3; i++) {
		const struct evt_io_read fields = { .fd = 3, .bytes = 10, .duration = 5 };

		if (i == 2)
			on_stream(3); /* another process */
		frame_put_stack(c.r.fw, EVT_io_read, 100 + i, (const uint64_t *)&fields,
				i == 1 ? stack_of(0x10, 0x21) : stack_of(0x10, 0x20));
	}
	FRAME_PUT(c.r.fw, 200, io_read, .fd = 3, .bytes = 1, .duration = 5);
	finish_recording();
	run = run_new(source, &recording_whole);
	run_set_options(run, &options);
	reading = io_want(run, &(struct io_options){ BY_io_stack });
	run_read(run, false);
	key_init_table(&table, BY_io_stack);
	io_fill_table(reading, &table);
	assert_int_equal(table.row_count, 3);
	table_arrange(&table, &(struct arrangement){
				      .sort = -1 }); /* texts are made for rows that are shown */
	assert_string_equal(table_cell(&table, 0, 0)->text, "0x10;0x20");
	assert_string_equal(table_cell(&table, 1, 0)->text, "0x10;0x21");
	assert_string_equal(table_cell(&table, 2, 0)->text, "(no stack)");
	assert_int_equal(reading->io.row[0].bytes_read, 20);
	assert_int_equal(io_total(&reading->io).calls, 4);
	assert_int_equal(io_total(&reading->io).bytes_read, 31);
	assert_non_null(table.stacks.note(table.stacks.state));
	table_release(&table);
	recording_close();
}
