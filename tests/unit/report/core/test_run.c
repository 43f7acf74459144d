/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/core/run.c: who gets which events, what is told when, and when it is settled. */
#include "report/core/analysis.h"
#include "tests/unit/cuda_recording.h"
#include "tests/unit/recording_source.h"

#define SETTLED_MAX 64

/* What an analysis saw. */
struct seen {
	int option;
	uint64_t pops, steps, last_ns;
	uint64_t settled[SETTLED_MAX];
	size_t settled_count;
	unsigned int ended, lost, finished;
};

static struct cuda_recording c;
static struct source *source;

static void take_pop(void *state, const struct source_event *event, bool counts)
{
	struct seen *seen = state;

	assert_int_equal(event->event.id, EVT_nvtx_pop);
	seen->pops += counts;
	seen->last_ns = event->event.time_ns;
	if (seen->settled_count) /* nothing that was settled is told again */
		assert_true(event->event.time_ns >= seen->settled[seen->settled_count - 1]);
}

static void take_step(void *state, const struct source_event *event, bool counts)
{
	struct seen *seen = state;

	(void)event;
	seen->steps += counts;
}

static void start(void *state, struct run *run, const void *options)
{
	struct seen *seen = state;

	seen->option = *(const int *)options;
	run_reads(run, EVT_nvtx_pop, FIELD_BIT(nvtx_pop, domain), take_pop, seen);
	if (seen->option)
		run_reads(run, EVT_step, FIELDS_ALL, take_step, seen);
}

static void cut(void *state, const struct cut *cut)
{
	struct seen *seen = state;

	seen->lost += cut->reason == CUT_LOST;
	seen->ended += cut->reason == CUT_ENDED && !cut->thread;
}

static void settle(void *state, uint64_t upto_ns)
{
	struct seen *seen = state;

	assert_true(seen->settled_count < SETTLED_MAX);
	seen->settled[seen->settled_count++] = upto_ns;
}

static void finish(void *state)
{
	((struct seen *)state)->finished++;
}

static const struct analysis_kind kind = {
	.name = "seen",
	.state_bytes = sizeof(struct seen),
	.options_bytes = sizeof(int),
	.start = start,
	.cut = cut,
	.settle = settle,
	.finish = finish,
};

static struct run *open_run(uint64_t to_ns)
{
	struct filter_settings filter = { .pid = FILTER_NO_ID,
					  .tid = FILTER_NO_ID,
					  .to_ns = to_ns };

	source = recording_source(&c.r);
	return run_new(source, &filter);
}

static void close_run(struct run *run)
{
	run_free(run);
	source_close(source);
	cuda_recording_release(&c);
}

static void pops(uint64_t from_ns, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		FRAME_PUT(c.r.fw, from_ns + i, nvtx_pop, .domain = 0);
}

TEST(options_make_states_of_their_own)
{
	const int none = 0, steps = 1;
	struct seen *first, *second;
	struct run *run;

	cuda_recording_start(&c, 1);
	frame_begin_block(c.r.fw, 1);
	pops(100, 3);
	FRAME_PUT(c.r.fw, 200, step, .number = 1, .name = 0);
	FRAME_PUT(c.r.fw, 210, nvtx_mark, .domain = 0, .name = 0);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 220, lost, .stream = 1, .process = 1, .count = 3, .reason = 1);
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, 1000);
	run = open_run(102);
	first = run_want(run, &kind, &none);
	second = run_want(run, &kind, &steps);
	assert_ptr_equal(run_want(run, &kind, &none), first);
	assert_ptr_not_equal(first, second);
	assert_true(run_wants(run)->event[EVT_nvtx_pop] && run_wants(run)->event[EVT_step]);
	assert_false(run_wants(run)->event[EVT_nvtx_mark]);
	assert_int_equal(run_wants(run)->fields[EVT_nvtx_pop], 1);
	run_counts_all(run);
	run_read(run, false);
	assert_true(run_wants(run)->event[EVT_nvtx_mark]); /* for the filter's verdict on it */
	assert_int_equal(first->pops, 2);
	assert_int_equal(first->steps, 0);
	assert_int_equal(second->pops, 2);
	assert_int_equal(second->steps, 0); /* after the filter's end */
	assert_int_equal(first->lost, 1);
	assert_int_equal(first->ended, 1);
	assert_int_equal(first->finished, 1);
	assert_int_equal(run_events(run, EVT_nvtx_pop), 2);
	assert_int_equal(run_events_of_all(run), 2);
	close_run(run);
}

/* Each frame is settled when it has been given out. */
TEST(what_has_been_given_out_is_settled)
{
	enum { FRAMES = 5, POPS = 5000 };
	const int none = 0;
	struct seen *seen;
	struct run *run;

	cuda_recording_start(&c, 1);
	for (uint64_t i = 0; i < FRAMES; i++) {
		frame_begin_block(c.r.fw, 1);
		pops(i * 10000, POPS);
		frame_end_block(c.r.fw);
		recording_close_frame(&c.r, i * 10000 + 9000);
	}
	recording_finish(&c.r, FRAMES * 10000);
	run = open_run(UINT64_MAX);
	seen = run_want(run, &kind, &none);
	run_read(run, false);
	assert_int_equal(seen->pops, FRAMES * POPS);
	assert_int_equal(seen->settled_count, FRAMES); /* between them, and in the end */
	for (size_t i = 0; i + 1 < FRAMES; i++)
		assert_int_equal(seen->settled[i], i * 10000 + 9000);
	assert_int_equal(seen->settled[FRAMES - 1], UINT64_MAX);
	close_run(run);
}

/* `other` of a pop: what the analysis that it wants had seen by then. */
struct other {
	const struct seen *seen;
	uint64_t behind;
};

static void take_other(void *state, const struct source_event *event, bool counts)
{
	struct other *other = state;

	(void)counts;
	other->behind += other->seen->last_ns != event->event.time_ns;
}

static void start_other(void *state, struct run *run, const void *options)
{
	struct other *other = state;

	run_reads(run, EVT_nvtx_pop, 0, take_other, other);
	other->seen = run_want(run, &kind, options);
}

TEST(an_analysis_comes_after_those_that_it_wants)
{
	static const struct analysis_kind other_kind = {
		.name = "other",
		.state_bytes = sizeof(struct other),
		.options_bytes = sizeof(int),
		.start = start_other,
	};
	const int none = 0;
	struct other *other;
	struct run *run;

	cuda_recording_start(&c, 1);
	frame_begin_block(c.r.fw, 1);
	pops(100, 3);
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, 1000);
	run = open_run(UINT64_MAX);
	other = run_want(run, &other_kind, &none);
	run_read(run, false);
	assert_int_equal(other->seen->pops, 3);
	assert_int_equal(other->behind, 0);
	close_run(run);
}

/*
 * run_reads_calls() takes an event for a call by its first field, a name, and a duration. In a
 * family that has calls, all of these begin with the function.
 */
TEST(a_call_begins_with_its_function)
{
	unsigned int calls[EVT_FAMILY_LIMIT] = { 0 }, others[EVT_FAMILY_LIMIT] = { 0 };

	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		const struct evt_descriptor *event = &evt_descriptors[id];
		bool is_call;

		if (!event->name || event->field[0].codec != EVT_CODEC_name ||
		    evt_duration_field(id) == EVT_FIELDS_MAX)
			continue;
		is_call = strcmp(event->field[0].name, "function") == 0;
		(is_call ? calls : others)[event->family]++;
	}
	for (unsigned int family = 0; family < EVT_FAMILY_LIMIT; family++)
		assert_true(!calls[family] || !others[family]);
	assert_true(calls[EVT_FAMILY_cuda] > 4 && calls[EVT_FAMILY_io] > 10);
}
