/* SPDX-License-Identifier: MIT */
/* links: collector format report:steps/steps.c,steps/step_row.c,steps/step_phases.c,steps/step_delay.c,scopes/nest.c,base/memory.c,base/map.c,base/text.c,base/timing.c,base/cpu_clock.c,base/time_order.c,base/vast.c,base/histogram.c */
/*
 * INTERCEPT_GPU=sums: GPU time by step and phase from the collector's stretches is that from single
 * pieces of work, to the nanosecond, in random trainings: backward on a thread of autograd's or on
 * the loop's, with pauses, closures of optimizers, collectives, work that is reported late and in
 * any order, rings that are drained one after the other.
 */
#include "tests/unit/unit.h"

#include "collector/gpu/gpu_sums.h"
#include "report/gpu/gpu_work.h"
#include "report/helpers/helpers.h"
#include "report/steps/step_delay.h"
#include "report/steps/step_phases.h"

#define PROCESS 1u /* its number; its index in the report is 0 */
#define STEPS 400u
#define TOLD_ROOM 200000u
#define US 1000u

enum { LOOP, AUTOGRAD, THREADS };

static const struct scope_name {
	const char *text;
	uint64_t scope;
	bool is_graded;
} names[] = {
	{ "enumerate(DataLoader)#_Iter.__next__", EVT_SCOPE_USER, false },
	{ "Optimizer.zero_grad#SGD.zero_grad", EVT_SCOPE_USER, false },
	{ "Optimizer.step#SGD.step", EVT_SCOPE_USER, false },
	{ "autograd::engine::evaluate_function: MmBackward0", 0, true },
	{ "aten::linear", 0, true },
	{ "aten::relu", 0, true },
	{ "aten::mm", 0, false },
	{ "aten::add_", 0, false },
	{ "c10d::allreduce_", 0, false },
	{ "label", EVT_SCOPE_USER, false },
};
enum { DATA, ZERO_GRAD, OPTIMIZER, BACKWARD, LINEAR, RELU, PRODUCT, ADD, COLLECTIVE, LABEL, NAMES };

/* What the collector is told, thread by thread or as work, and when that may be. */
static struct told {
	uint64_t ns, value[EVT_WORDS_MAX];
	uint32_t id;
} told[THREADS][TOLD_ROOM], work[TOLD_ROOM];
static size_t told_count[THREADS], work_count;

static struct side {
	struct steps steps;
	struct step_delay delay;
} full, sums;
static struct step_phases phases;
static struct common common;
static struct gpu_sums *collected;
static uint64_t name_id[NAMES], now_ns, launched;
static struct {
	uint64_t touched_ns;
	uint32_t busy;
	bool has_begun; /* since the owner moved */
} helped;

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (random_state >> 33) % limit;
}

static void put_op(const struct step_op *op)
{
	step_delay_put(&full.delay, op);
	step_delay_put(&sums.delay, op);
}

static void take_stretch(void *state, const struct phase_stretch *stretch)
{
	put_op(&(struct step_op){ .kind = STEP_OP_PHASE,
				  .place = stretch->place,
				  .category = (enum step_category)stretch->phase,
				  .ns = stretch->duration_ns });
}

static struct nest_place place_of(uint32_t thread)
{
	return (struct nest_place){ .time_ns = now_ns, .thread = thread };
}

static void collector_hears(uint32_t thread, uint32_t id, const void *words, size_t bytes)
{
	struct told *next = &told[thread][told_count[thread]++];

	assert_true(told_count[thread] < TOLD_ROOM);
	*next = (struct told){ .ns = now_ns, .id = id };
	memcpy(next->value, words, bytes);
}

/* As report/helpers/helpers.c has it. */
static void help(bool begins)
{
	uint64_t ns = now_ns - helped.touched_ns;

	if (!helped.has_begun)
		ns = 0;
	if (ns && (helped.busy || ns < HELPERS_PAUSE_NS))
		step_phases_helped(&phases, place_of(LOOP), ns);
	helped.has_begun = true;
	helped.touched_ns = now_ns;
	helped.busy += begins ? 1 : -1u;
}

/* The loop's thread takes some microseconds for anything, autograd's may be quicker. */
static void passes(uint32_t thread)
{
	now_ns += 1 + (thread == LOOP ? 8 * US : 0) + random_below(40 * US);
}

static void opens(uint32_t thread, uint32_t name)
{
	const struct scope_name *named = &names[name];
	struct evt_torch_begin_id begin = { .name = name_id[name],
					    .scope = named->scope,
					    .sequence = named->is_graded ? 5 : -1 };
	size_t length = strlen(named->text);

	passes(thread);
	if (thread == AUTOGRAD)
		help(true);
	else
		helped.has_begun = false;
	step_phases_open(&phases, place_of(thread),
			 phase_scope_of(named->text, length, named->scope, named->is_graded));
	put_op(&(struct step_op){
		.kind = STEP_OP_OPEN,
		.place = place_of(thread),
		.category = step_category_of(named->text, length, named->scope) });
	collector_hears(thread, EVT_torch_begin_ex, &begin, sizeof(struct evt_torch_begin_ex));
}

static void shuts(uint32_t thread)
{
	passes(thread);
	if (thread == AUTOGRAD)
		help(false);
	step_phases_close(&phases, place_of(thread));
	put_op(&(struct step_op){ .kind = STEP_OP_CLOSE, .place = place_of(thread) });
	collector_hears(thread, EVT_torch_end, NULL, 0);
}

/* A piece of work begins some time after now. */
static void launches(void)
{
	uint64_t start_ns = now_ns + random_below(300 * US), ns = 1 + random_below(60 * US);
	unsigned int kind = (unsigned int)random_below(8);
	uint64_t told_ns = start_ns + ns + random_below(900000 * US);
	struct gpu_work piece = {
		.kind = kind < 5    ? GPU_WORK_KERNEL
			: kind == 5 ? GPU_WORK_COPY
			: kind == 6 ? GPU_WORK_SET
				    : GPU_WORK_KERNEL,
		.is_communication = kind == 7,
		.deferred = { .is_on_device = true, .start_ns = start_ns, .duration_ns = ns }
	};
	struct told *next = &work[work_count++];
	struct evt_gpu_kernel record = { .ago_ns = (int64_t)(told_ns - start_ns),
					 .duration_ns = ns,
					 .correlation = ++launched,
					 .device = random_below(2),
					 .kernel = name_id[kind == 7 ? COLLECTIVE : ADD] };

	assert_true(work_count < TOLD_ROOM);
	step_delay_put_work(&full.delay, &piece.deferred);
	*next = (struct told){ .ns = told_ns,
			       .id = kind == 5   ? EVT_gpu_copy
				     : kind == 6 ? EVT_gpu_set
						 : EVT_gpu_kernel };
	memcpy(next->value, &record, sizeof(record));
}

static void runs(uint32_t thread, uint32_t name, unsigned int depth)
{
	opens(thread, name);
	if (random_below(3))
		launches();
	if (depth && !random_below(4))
		runs(thread, random_below(2) ? RELU + (uint32_t)random_below(4) : LABEL, depth - 1);
	shuts(thread);
}

static void goes_back(uint32_t thread)
{
	for (uint64_t i = 0; i < 1 + random_below(6); i++) {
		now_ns += random_below(4) ? random_below(20 * US) : random_below(250 * US);
		opens(thread, BACKWARD);
		launches();
		if (!random_below(3))
			runs(thread, random_below(3) ? PRODUCT : COLLECTIVE, 0);
		shuts(thread);
		if (!random_below(8))
			runs(thread, ADD, 0);
	}
}

static void optimizes(void)
{
	bool has_closure = !random_below(3);

	opens(LOOP, OPTIMIZER);
	for (uint64_t i = 0; i < 4; i++) {
		runs(LOOP, ADD, 0);
		if (!has_closure)
			continue;
		if (random_below(2))
			runs(LOOP, ZERO_GRAD, 1);
		runs(LOOP, LINEAR, 1);
		runs(LOOP, random_below(2) ? PRODUCT : RELU, 1);
		goes_back(random_below(2) ? LOOP : AUTOGRAD);
	}
	shuts(LOOP);
}

static void step_ends(uint64_t number)
{
	struct step_mark mark = { .number = number, .counts = true };
	struct evt_step event = { .number = number };

	now_ns += 1 + random_below(200 * US);
	step_phases_flush(&phases, place_of(LOOP));
	put_op(&(struct step_op){
		.kind = STEP_OP_MARK, .place = place_of(LOOP), .is_numbered = true, .mark = mark });
	collector_hears(LOOP, EVT_step, &event, sizeof(event));
}

static void trains(uint64_t number)
{
	runs(LOOP, DATA, 1);
	if (random_below(2))
		runs(LOOP, ZERO_GRAD, 1);
	for (uint64_t i = 0; i < random_below(6); i++)
		runs(LOOP, random_below(3) ? LINEAR : ADD, 2);
	goes_back(random_below(3) ? AUTOGRAD : LOOP);
	if (!random_below(4))
		runs(LOOP, COLLECTIVE, 1);
	optimizes();
	step_ends(number);
}

/* --- the collector --- */

static int told_by_time(const void *one, const void *other)
{
	const struct told *a = one, *b = other;

	return a->ns < b->ns ? -1 : a->ns > b->ns;
}

static void takes_stretches(void)
{
	for (size_t i = 0; i < common.journal.count; i++) {
		const struct journal_event *event = &common.journal.event[i];
		const struct evt_gpu_stretch *stretch = (const void *)event->value;

		if (event->id != EVT_gpu_stretch)
			continue;
		assert_int_equal(stretch->late, 0);
		step_delay_put_stretch(
			&sums.delay,
			&(struct step_stretch){
				.start_ns = event->time_ns - (uint64_t)stretch->ago_ns,
				.duration_ns = stretch->duration_ns,
				.ns = { stretch->kernel_ns, stretch->copy_ns, stretch->set_ns,
					stretch->communication_ns } });
	}
	common.journal.count = common.journal.written = 0;
}

/* Rings are drained up to a moment, one after the other. */
static void drains(uint64_t upto_ns)
{
	static size_t done[THREADS], work_done;
	const struct gpu_sums_place cupti = { THREADS, 1, PROCESS };

	for (; work_done < work_count && work[work_done].ns <= upto_ns; work_done++)
		assert_true(gpu_sums_take_work(collected, &cupti, work[work_done].id,
					       work[work_done].ns, work[work_done].value));
	for (uint32_t thread = THREADS; thread--;) {
		const struct gpu_sums_place place = { thread, 1, PROCESS };

		for (; done[thread] < told_count[thread]; done[thread]++) {
			const struct told *next = &told[thread][done[thread]];

			if (next->ns > upto_ns)
				break;
			gpu_sums_take_scope(collected, &place, next->id, next->ns, next->value);
		}
	}
	gpu_sums_settle(collected, upto_ns, false);
	takes_stretches();
}

static void collects(void)
{
	qsort(work, work_count, sizeof(*work), told_by_time);
	for (uint64_t at_ns = 0; at_ns < now_ns + 2000000 * (uint64_t)US;
	     at_ns += 1 + random_below(1000000 * US))
		drains(at_ns);
	drains(UINT64_MAX / 2);
	gpu_sums_settle(collected, UINT64_MAX / 2, true);
	takes_stretches();
}

static void begins(struct side *side)
{
	steps_init(&side->steps, true);
	step_delay_init(&side->delay, &side->steps);
	step_delay_begin(&side->delay);
}

TEST(steps_and_phases_have_the_same_gpu_time)
{
	uint64_t busy_ns[STEP_PHASE_LIMIT] = { 0 };

	random_state = 5;
	begins(&full);
	begins(&sums);
	step_phases_init(&phases, take_stretch, NULL);
	common.view.shape.ring_count = THREADS + 1;
	journal_init(&common.journal);
	assert_int_equal(names_init(&common.names, &common.journal), 0);
	collected = gpu_sums_new(&common);
	assert_non_null(collected);
	for (uint32_t i = 0; i < NAMES; i++)
		name_id[i] = names_id_text(
			&common.names, i == COLLECTIVE ? "ncclDevKernel" : names[i].text,
			strlen(i == COLLECTIVE ? "ncclDevKernel" : names[i].text));
	contexts_note_name(&collected->contexts, (uint32_t)name_id[COLLECTIVE], "c10d::", 6);
	now_ns = 1000000000;
	step_ends(0);
	for (uint64_t i = 1; i <= STEPS; i++)
		trains(i);
	collects();
	sums.steps.has_sums = true;
	step_delay_flush(&full.delay, UINT64_MAX);
	step_delay_flush(&sums.delay, UINT64_MAX);
	assert_int_equal(full.steps.row_count, STEPS);
	assert_int_equal(sums.steps.row_count, STEPS);
	for (size_t i = 0; i < STEPS; i++) {
		const struct step_row *one = &full.steps.row[i], *other = &sums.steps.row[i];

		for (int c = 0; c < STEP_communication; c++)
			assert_int_equal(one->ns[c], other->ns[c]);
		assert_int_equal(one->ns[STEP_communication], other->ns[STEP_communication]);
		assert_int_equal(one->gpu_ns, other->gpu_ns);
		for (int p = 0; p < STEP_PHASE_LIMIT; p++) {
			assert_int_equal(one->phases.ns[p], other->phases.ns[p]);
			assert_int_equal(one->phases.gpu_ns[p], other->phases.gpu_ns[p]);
			busy_ns[p] += one->phases.gpu_ns[p];
		}
		assert_int_equal(other->ns[STEP_operators] + other->ns[STEP_other], 0);
		assert_int_equal(other->ns[STEP_dataloader],
				 one->phases.ns[PHASE_data] - one->phases.gpu_ns[PHASE_data]);
	}
	for (int p = 0; p < STEP_PHASE_LIMIT; p++)
		assert_true(p == PHASE_evaluation || busy_ns[p]); /* the test is about them all */
	gpu_sums_free(collected);
	names_release(&common.names);
	journal_release(&common.journal);
	step_phases_release(&phases);
	step_delay_release(&full.delay);
	step_delay_release(&sums.delay);
	steps_release(&full.steps);
	steps_release(&sums.steps);
}

static void asks(struct side *side, uint64_t call_ns, uint64_t start_ns, bool is_collective)
{
	const struct gpu_work piece = { .deferred = { .is_on_device = true,
						      .has_call = true,
						      .start_ns = start_ns,
						      .duration_ns = 40,
						      .call_start_ns = call_ns },
					.kind = GPU_WORK_KERNEL,
					.is_communication = is_collective };

	step_delay_put_work(&side->delay, &piece.deferred);
}

static void is_in_phase(struct side *side, uint64_t from_ns, uint64_t to_ns, enum step_phase phase)
{
	step_delay_put(&side->delay, &(struct step_op){ .kind = STEP_OP_PHASE,
							.place = { .time_ns = to_ns },
							.category = (enum step_category)phase,
							.ns = to_ns - from_ns });
}

static void marks_step(struct side *side, uint64_t time_ns, uint64_t number)
{
	step_delay_put(
		&side->delay,
		&(struct step_op){ .kind = STEP_OP_MARK,
				   .is_numbered = true,
				   .place = { .time_ns = time_ns },
				   .mark = { .number = number, .name = 1, .counts = true } });
}

/* The GPU lags behind, so that most of the work runs when the host is in another phase or step. */
TEST(work_belongs_to_the_phase_that_asked_for_it)
{
	const uint64_t *asked;

	begins(&full);
	marks_step(&full, 100, 0);
	is_in_phase(&full, 110, 150, PHASE_forward);
	is_in_phase(&full, 150, 190, PHASE_backward);
	marks_step(&full, 200, 1);
	is_in_phase(&full, 200, 290, PHASE_optimizer);
	marks_step(&full, 300, 2);
	asks(&full, 160, 420, false);
	asks(&full, 120, 250, false);
	asks(&full, 130, 300, false);
	asks(&full, 170, 340, true);
	asks(&full, 195, 460, false);
	asks(&full, 210, 500, false);
	asks(&full, 90, 110, false); /* before the first step */
	step_delay_flush(&full.delay, UINT64_MAX);
	assert_int_equal(full.steps.row_count, 2);
	asked = full.steps.row[0].phases.asked_ns;
	assert_int_equal(asked[PHASE_forward], 80);
	assert_int_equal(asked[PHASE_backward], 40);
	assert_int_equal(asked[PHASE_communication], 40);
	assert_int_equal(asked[PHASE_other], 40);
	assert_int_equal(asked[PHASE_optimizer], 0);
	asked = full.steps.row[1].phases.asked_ns;
	assert_int_equal(asked[PHASE_optimizer], 40);
	assert_int_equal(step_phases_asked(&full.steps.phases), 240);
	step_delay_release(&full.delay);
	steps_release(&full.steps);
}
