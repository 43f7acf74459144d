/* SPDX-License-Identifier: MIT */
/*
 * Makes operations of steps.h and, with --step, of step_ranges.h from the events that steps depend
 * on.
 */
#include "report/steps/step_events.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/scopes/async_scopes.h"
#include "report/core/windows.h"
#include "report/core/collecting.h"
#include "report/core/work.h"
#include "report/helpers/helpers.h"
#include "report/deferred/deferred.h"
#include "report/gpu/wait_calls.h"
#include "report/scopes/scope_events.h"
#include "report/steps/step_delay.h"
#include "report/steps/step_ranges.h"

#define PROFILER_STEP "ProfilerStep" /* the name that preload gives to a step of torch.profiler */

#define SCOPE_BACKWARD 1u   /* at::RecordScope */
#define FLUSH_NS 500000000u /* operations of so much time are flushed at once */

/* A copy that takes longer did not only enter a queue. */
#define COPY_WAITS_NS 100000u

struct step_state {
	struct steps steps; /* must be first: others see only this part */
	struct source *source;
	const struct run *run;
	/* by process: the last mark, which may not have reached the steps yet */
	uint64_t *marked_ns;
	size_t marked_room;
	struct step_ranges ranges;
	struct async_scopes async;
	struct collecting collecting;
	struct step_delay delay;
	struct step_phases phases;
	struct wait_calls waits;
	bool by_passes;              /* operators are sampled, and passes of autograd tell phases */
	bool has_pass, has_backward; /* a pass, a function of autograd */
	const struct helpers *helpers;
	/* name's index << 5 | scope << 1 | graded, + 1, to enum phase_scope */
	struct map phase_scopes;
	struct nest_place
		helped;     /* a stretch in which helpers worked ends here; it may be extended */
	uint64_t helped_ns; /* 0: none */
	uint64_t flushed_ns;
	struct map categories; /* name's index << 4 | scope, + 1, to enum step_category */
};

/* A name is examined once, when its text has come. */
static enum step_category step_events_category_of(struct step_state *mine,
						  const struct source_event *event, uint64_t scope)
{
	uint32_t index = event_name(mine->source, event, event->event.value[0]);
	const struct source_name *name = source_name_at(mine->source, index);
	struct map_entry *known;
	bool added;

	if (!name->text)
		return step_category_of("", 0, scope);
	known = map_put(&mine->categories, ((uint64_t)index << 4 | (scope & 15)) + 1, &added);
	if (added)
		known->value = step_category_of(name->text, name->length, scope);
	return (enum step_category)known->value;
}

/* --- phases --- */

static enum phase_scope phase_scope_at(struct step_state *mine, const struct source_event *event,
				       uint64_t scope, bool is_graded)
{
	uint32_t index = event_name(mine->source, event, event->event.value[0]);
	const struct source_name *name = source_name_at(mine->source, index);
	struct map_entry *known;
	bool added;

	if (!name->text)
		return phase_scope_of("", 0, scope, is_graded);
	known = map_put(&mine->phase_scopes,
			((uint64_t)index << 5 | (scope & 15) << 1 | is_graded) + 1, &added);
	if (added)
		known->value = phase_scope_of(name->text, name->length, scope, is_graded);
	return (enum phase_scope)known->value;
}

static void take_phase(void *state, const struct phase_stretch *stretch)
{
	struct step_state *mine = state;
	enum step_phase phase = steps_know_phase(&mine->steps, stretch->phase) ? stretch->phase
									       : PHASE_other;
	struct step_op op = { .kind = STEP_OP_PHASE,
			      .place = stretch->place,
			      .category = (enum step_category)phase,
			      .ns = stretch->duration_ns };

	if (stretch->phase == PHASE_evaluation)
		mine->steps.evaluation_ns += stretch->duration_ns;
	if (stretch->is_unused)
		mine->steps.unused_ns += stretch->duration_ns;
	if (stretch->duration_ns)
		step_delay_put(&mine->delay, &op);
	op.kind = STEP_OP_LAUNCHES;
	op.ns = stretch->launches;
	if (op.ns)
		step_delay_put(&mine->delay, &op);
	op.kind = STEP_OP_WAITS;
	op.ns = stretch->waits_ns;
	if (op.ns)
		step_delay_put(&mine->delay, &op);
}

static void open_phase(struct step_state *mine, const struct source_event *event)
{
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);
	bool is_ex = event->event.id != EVT_torch_begin; /* torch_begin_id has the same fields */
	uint64_t scope = event_record_scope(event);
	enum phase_scope what = PHASE_SCOPE_NONE;

	mine->has_backward |= scope == SCOPE_BACKWARD;
	if (!mine->by_passes || scope == EVT_SCOPE_USER)
		what = phase_scope_at(mine, event, scope, is_ex && (int64_t)begin->sequence >= 0);
	step_phases_open(&mine->phases, event_place(event), what);
	if (!is_ex || mine->by_passes || (int64_t)begin->sequence < 0)
		return;
	if (scope == SCOPE_BACKWARD)
		step_phases_uses(&mine->phases, event->process->index,
				 (uint32_t)begin->forward_thread, begin->sequence);
	else
		step_phases_records(&mine->phases, event_place(event), (uint32_t)begin->thread,
				    begin->sequence);
}

/* Comes before the first operator of its process. */
static void step_events_take_sampling(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;

	(void)counts;
	if (EVENT_AS(torch_sampling, &event->event)->one_in <= 1)
		return;
	mine->steps.has_sample = true;
	mine->steps.lacks_passes |= !EVENT_AS(torch_sampling, &event->event)->passes;
	mine->by_passes = !mine->steps.lacks_passes;
}

static void step_events_take_pass(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;
	struct nest_place place = event_place(event);

	(void)counts;
	mine->has_pass = true;
	step_phases_nodes(&mine->phases, place, EVENT_AS(autograd_begin, &event->event)->nodes);
	mine->steps.is_unsure |= mine->phases.is_unsure;
	step_phases_pass_begins(&mine->phases, place);
}

static void step_events_take_pass_end(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	step_phases_pass_ends(&((struct step_state *)state)->phases, event_place(event));
}

static void step_events_take_nodes(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;

	(void)counts;
	step_phases_nodes(&mine->phases, event_place(event),
			  EVENT_AS(autograd_nodes, &event->event)->nodes);
	mine->steps.is_unsure |= mine->phases.is_unsure;
}

static void put_helped(struct step_state *mine)
{
	if (mine->helped_ns)
		step_delay_put(&mine->delay, &(struct step_op){ .kind = STEP_OP_HELPED,
								.place = mine->helped,
								.ns = mine->helped_ns });
	mine->helped_ns = 0;
}

static void take_helped(void *state, struct nest_place owner, uint64_t duration_ns)
{
	struct step_state *mine = state;

	if (mine->helped.thread != owner.thread ||
	    mine->helped.time_ns != owner.time_ns - duration_ns)
		put_helped(mine);
	mine->helped = owner;
	mine->helped_ns += duration_ns;
	if (!mine->by_passes)
		step_phases_helped(&mine->phases, owner, duration_ns);
}

/* What is not known of the step that ends at this event. */
static void mark_lacks(struct step_state *mine, const struct source_event *event,
		       struct step_mark *mark)
{
	uint32_t process = event->process->index;
	uint64_t began_ns;

	mine->marked_ns = memory_room(mine->marked_ns, process, &mine->marked_room,
				      sizeof(*mine->marked_ns));
	began_ns = mine->marked_ns[process];
	mine->marked_ns[process] = event->event.time_ns;
	mark->lacks_operators = !detail_covers(run_detail(mine->run), process, began_ns);
	mark->lacks_gpu = !detail_covers(run_gpu_windows(mine->run), process, began_ns);
}

static void step_events_take_mark(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;
	const struct evt_step *step = EVENT_AS(step, &event->event);
	struct step_mark mark = { .number = step->number,
				  .name = event_name(mine->source, event, step->name),
				  .counts = counts };
	const struct source_name *name = source_name_at(mine->source, mark.name);

	mark_lacks(mine, event, &mark);
	put_helped(mine);
	step_phases_flush(&mine->phases, event_place(event));
	mark.may_be_rest = name->text && !strcmp(name->text, PROFILER_STEP);
	step_delay_put(&mine->delay, &(struct step_op){ .kind = STEP_OP_MARK,
							.place = event_place(event),
							.is_numbered = true,
							.mark = mark });
}

/* --- scopes and calls --- */

static void step_events_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;
	struct step_op op = { .kind = STEP_OP_OPEN, .place = event_place(event) };

	(void)counts;
	open_phase(mine, event);
	op.category = step_events_category_of(mine, event, event_record_scope(event));
	step_delay_put(&mine->delay, &op);
}

static void step_events_take_end(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;
	struct step_op op = { .kind = STEP_OP_CLOSE, .place = event_place(event) };

	(void)counts;
	if (event_ends_elsewhere(event))
		return;
	if (event_ends_named(event)) {
		step_phases_close_one(&mine->phases, op.place,
				      phase_scope_at(mine, event, EVT_SCOPE_USER, false));
		op.kind = STEP_OP_CLOSE_ONE;
		op.category = step_events_category_of(mine, event, EVT_SCOPE_USER);
	} else {
		step_phases_close(&mine->phases, op.place);
	}
	step_delay_put(&mine->delay, &op);
}

static void step_events_take_async_begin(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;

	async_scopes_begin(&mine->async, EVENT_AS(torch_async_begin, &event->event)->function,
			   &(struct async_scope){ .place = event_place(event),
						  .key = (uint32_t)step_events_category_of(
							  mine, event, EVT_SCOPE_USER),
						  .counts = counts });
}

static void put_span(struct step_state *mine, struct nest_place place, enum step_category category,
		     uint64_t duration_ns)
{
	step_delay_put(&mine->delay, &(struct step_op){ .kind = STEP_OP_SPAN,
							.place = place,
							.category = category,
							.ns = duration_ns });
}

static void step_events_take_async_end(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;
	struct nest_place place = event_place(event);
	struct async_scope scope;

	(void)counts;
	if (async_scopes_end(&mine->async, place.process,
			     EVENT_AS(torch_async_end, &event->event)->function, &scope) &&
	    scope.key != STEP_NOTHING && place.time_ns > scope.place.time_ns)
		put_span(mine, place, (enum step_category)scope.key,
			 place.time_ns - scope.place.time_ns);
}

static void step_events_take_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_call *call = EVENT_AS(cuda_call, &event->event);
	struct step_state *mine = state;
	enum wait_call_kind wait;

	(void)counts;
	if (event_is_nested_call(&event->event))
		return;
	put_span(state, event_place(event), STEP_runtime, call->duration_ns);
	wait = wait_calls_kind_of(&mine->waits, event_name(mine->source, event, call->function));
	if (wait != WAIT_CALL_NONE && wait != WAIT_CALL_STREAM_FOR_EVENT)
		step_phases_wait(&mine->phases, event_place(event), call->duration_ns);
}

/* A copy to the host takes that long only if it waits for its data (evidence_events.c). */
static void step_events_take_copy(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_copy *copy = EVENT_AS(cuda_copy, &event->event);

	(void)counts;
	if (!event_is_nested_call(&event->event) && copy->kind == EVT_CUDA_COPY_DTOH &&
	    copy->duration_ns >= COPY_WAITS_NS)
		step_phases_wait(&((struct step_state *)state)->phases, event_place(event),
				 copy->duration_ns);
}

static void put_launch(struct step_state *mine, const struct source_event *event)
{
	struct nest_place place = event_place(event);
	uint32_t owner = mine->helpers ? helpers_owner(mine->helpers, place.thread) : NEST_NONE;
	bool is_helper = owner != NEST_NONE && owner != place.thread;

	if (is_helper)
		place.thread = owner;
	step_phases_launch(&mine->phases, place, is_helper);
}

static void step_events_take_launch(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	if (!event_is_nested_call(&event->event))
		put_launch(state, event);
}

/* A call by a library that cannot be interposed, such as cuBLAS. */
static void step_events_take_hidden_call(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;
	uint32_t index = event_name(mine->source, event,
				    EVENT_AS(gpu_call, &event->event)->function);
	const struct source_name *name = source_name_at(mine->source, index);

	(void)counts;
	if (name->text && memmem(name->text, name->length, "LaunchKernel", strlen("LaunchKernel")))
		put_launch(mine, event);
}

static void step_events_take_clock(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	step_delay_put(&((struct step_state *)state)->delay,
		       &(struct step_op){ .kind = STEP_OP_CLOCK,
					  .place = event_place(event),
					  .ns = EVENT_AS(thread_clock, &event->event)->cpu_ns });
}

static void step_events_take_capture(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;

	(void)counts;
	if (mine->ranges.name)
		step_ranges_forget(&mine->ranges, event->process->index);
	step_delay_put(&mine->delay,
		       &(struct step_op){ .kind = STEP_OP_INTERRUPT, .place = event_place(event) });
}

/* --- --step NAME: recorded steps are ignored --- */

static bool name_matches(struct step_state *mine, const struct source_event *event, uint64_t id)
{
	const struct source_name *name = source_name_at(mine->source,
							event_name(mine->source, event, id));

	return step_ranges_match(&mine->ranges, name->text, name->length);
}

/* A range of that name has opened or closed. `id` is that of its name, 0 if the event has none. */
static void take_own_mark(struct step_state *mine, const struct source_event *event, uint64_t id,
			  bool counts)
{
	struct nest_place place = event_place(event);
	struct step_mark mark = { .name = event_name(mine->source, event, id), .counts = counts };

	mark_lacks(mine, event, &mark);
	put_helped(mine);
	step_phases_flush(&mine->phases, place);
	step_delay_put(&mine->delay,
		       &(struct step_op){ .kind = STEP_OP_MARK, .place = place, .mark = mark });
}

/* Returns the domain of an NVTX event, or the constant for PyTorch. */
static uint32_t event_domain(struct step_state *mine, const struct source_event *event)
{
	return evt_descriptors[event->event.id].family == EVT_FAMILY_torch
		       ? STEP_DOMAIN_TORCH
		       : event_name(mine->source, event, event->event.value[0]);
}

/* For a range that nests on its thread. */
static void step_events_take_opening(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;
	uint32_t domain = event_domain(mine, event);
	uint64_t name = event->event.value[domain != STEP_DOMAIN_TORCH];
	bool opens = name_matches(mine, event, name);

	step_ranges_push(&mine->ranges, event_place(event), domain, opens);
	if (opens && step_ranges_begin(&mine->ranges, event->process->index))
		take_own_mark(mine, event, name, counts);
}

static void step_events_take_closing(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;

	if (step_ranges_pop(&mine->ranges, event_place(event), event_domain(mine, event)))
		take_own_mark(mine, event, 0, counts);
}

static void take_operator_closing(void *state, const struct source_event *event, bool counts)
{
	const struct evt_torch_end_ex *end = EVENT_AS(torch_end_ex, &event->event);
	struct step_state *mine = state;

	if (!event_ends_named(event))
		step_events_take_closing(state, event, counts);
	else if (!event_ends_elsewhere(event) &&
		 step_ranges_pop_one(&mine->ranges, event_place(event),
				     name_matches(mine, event, end->name)))
		take_own_mark(mine, event, end->name, counts);
}

static void take_started(void *state, const struct source_event *event, bool counts)
{
	const struct evt_nvtx_start *started = EVENT_AS(nvtx_start, &event->event);
	struct step_state *mine = state;

	if (!name_matches(mine, event, started->name))
		return;
	step_ranges_start(&mine->ranges, event->process->index, started->range);
	if (step_ranges_begin(&mine->ranges, event->process->index))
		take_own_mark(mine, event, started->name, counts);
}

static void take_ended(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;

	if (step_ranges_end(&mine->ranges, event->process->index,
			    EVENT_AS(nvtx_end, &event->event)->range))
		take_own_mark(mine, event, 0, counts);
}

static void read_ranges(struct run *run, void *state)
{
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELD_BIT(torch_begin_ex, name),
			 step_events_take_opening, take_operator_closing, state);
	run_reads_scopes(run, EVT_SCOPE_KIND_nvtx_push,
			 FIELD_BIT(nvtx_push, domain) | FIELD_BIT(nvtx_push, name),
			 step_events_take_opening, step_events_take_closing, state);
	run_reads_scopes(run, EVT_SCOPE_KIND_nvtx_start, FIELDS_ALL, take_started, take_ended,
			 state);
}

/* --- the analysis --- */

static void step_events_take_io(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	step_delay_put(
		&((struct step_state *)state)->delay,
		&(struct step_op){ .kind = STEP_OP_SPEND,
				   .place = event_place(event),
				   .category = (enum step_category)STEP_SPENT_io,
				   .ns = event->event.value[evt_duration_field(event->event.id)] });
}

static void step_events_take_wait(void *state, const struct source_event *event, bool counts,
				  const struct work *work)
{
	const uint64_t spent_ns[STEP_SPENDING_LIMIT] = {
		[STEP_SPENT_lock_wait] = work->lock_wait_ns,
		[STEP_SPENT_condition_wait] = work->condition_wait_ns,
		[STEP_SPENT_poll_wait] = work->poll_wait_ns,
		[STEP_SPENT_socket_wait] = work->socket_wait_ns,
		[STEP_SPENT_sleep_wait] = work->sleep_wait_ns,
	};
	struct step_state *mine = state;

	(void)counts;
	for (unsigned int i = 0; i < STEP_SPENDING_LIMIT; i++)
		if (spent_ns[i])
			step_delay_put(&mine->delay,
				       &(struct step_op){ .kind = STEP_OP_SPEND,
							  .place = event_place(event),
							  .category = (enum step_category)i,
							  .ns = spent_ns[i] });
}

static void step_events_take_collection(void *state, const struct source_event *event, bool counts)
{
	collecting_begin(&((struct step_state *)state)->collecting, event, counts);
}

static void step_events_take_collected(void *state, const struct source_event *event, bool counts)
{
	struct step_state *mine = state;
	struct collected collected;

	(void)counts;
	if (collecting_end(&mine->collecting, event, &collected))
		put_span(mine, event_place(event), STEP_gc, collected.duration_ns);
}

/* --- the GPU --- */

static void step_events_take_work(void *state, uint64_t place, const struct deferred_work *work)
{
	(void)place;
	step_delay_put_work(&((struct step_state *)state)->delay, work);
}

static void step_events_take_stretch(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_stretch *told = EVENT_AS(gpu_stretch, &event->event);
	const struct source_process *process = source_process_of(event->file, told->process);
	uint64_t now_ns = event->event.time_ns;
	int64_t ago_ns = (int64_t)told->ago_ns;
	struct step_state *mine = state;

	(void)counts;
	mine->steps.has_sums = true;
	if (!process || mine->ranges.name || ago_ns < 0 || (uint64_t)ago_ns > now_ns)
		return;
	mine->steps.gpu_late += told->late;
	step_delay_put_stretch(
		&mine->delay,
		&(struct step_stretch){ .process = process->index,
					.start_ns = now_ns - (uint64_t)ago_ns,
					.duration_ns = told->duration_ns,
					.ns = { [STEP_kernel] = told->kernel_ns,
						[STEP_memcpy] = told->copy_ns,
						[STEP_memset] = told->set_ns,
						[STEP_communication] = told->communication_ns } });
}

/* GPU work may come from now on. Waiting begins before the first piece. */
static void step_events_take_cupti(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	if (EVENT_AS(gpu_cupti, &event->event)->state == EVT_GPU_STARTED)
		step_delay_begin(&((struct step_state *)state)->delay);
}

static void step_events_settle(void *state, uint64_t upto_ns)
{
	struct step_state *mine = state;

	if (upto_ns == UINT64_MAX || upto_ns < mine->flushed_ns + FLUSH_NS + DEFERRED_WAIT_NS)
		return;
	mine->flushed_ns = upto_ns - DEFERRED_WAIT_NS;
	step_delay_flush(&mine->delay, mine->flushed_ns);
}

static void step_events_finish(void *state)
{
	struct step_state *mine = state;

	/* functions of autograd, and no pass that they were in: passes did not come to us */
	mine->steps.is_unsure |= mine->by_passes && mine->has_backward && !mine->has_pass;
	put_helped(mine);
	step_delay_flush(&mine->delay, UINT64_MAX);
}

/* What happens inside of steps. */
static void read_contents(struct run *run, struct step_state *mine)
{
	run_reads(run, EVT_torch_sampling, FIELDS_ALL, step_events_take_sampling, mine);
	run_reads(run, EVT_autograd_begin, FIELDS_ALL, step_events_take_pass, mine);
	run_reads(run, EVT_autograd_end, 0, step_events_take_pass_end, mine);
	run_reads(run, EVT_autograd_nodes, FIELDS_ALL, step_events_take_nodes, mine);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator,
			 FIELD_BIT(torch_begin_ex, name) | FIELD_BIT(torch_begin_ex, scope) |
				 FIELD_BIT(torch_begin_ex, sequence),
			 step_events_take_begin, step_events_take_end, mine);
	run_reads(run, EVT_torch_async_begin, FIELDS_ALL, step_events_take_async_begin, mine);
	run_reads(run, EVT_torch_async_end, FIELDS_ALL, step_events_take_async_end, mine);
	run_reads_calls(run, EVT_FAMILY_cuda,
			FIELD_BIT(cuda_call, flags) | FIELD_BIT(cuda_call, function),
			step_events_take_call, mine);
	run_reads(run, EVT_cuda_copy, FIELD_BIT(cuda_copy, flags) | FIELD_BIT(cuda_copy, kind),
		  step_events_take_copy, mine);
	run_reads_calls(run, EVT_FAMILY_io, 0, step_events_take_io, mine);
	run_reads(run, EVT_io_short, FIELD_BIT(io_short, total), step_events_take_io, mine);
	if (mine->steps.wants_rows)
		works_listen(works_want(run, WORK_BIT(lock_wait_ns) | WORK_BIT(condition_wait_ns) |
						     WORK_BIT(poll_wait_ns) |
						     WORK_BIT(socket_wait_ns) |
						     WORK_BIT(sleep_wait_ns)),
			     step_events_take_wait, mine);
	run_reads(run, EVT_gc_begin, 0, step_events_take_collection, mine);
	run_reads(run, EVT_gc_end, 0, step_events_take_collected, mine);
	run_reads(run, EVT_thread_clock, FIELDS_ALL, step_events_take_clock, mine);
}

static void step_events_start(void *state, struct run *run, const void *options)
{
	static const struct deferred_listener listener = { .take = step_events_take_work,
							   .takes_uncounted = true,
							   .takes_uncorrelated = true };
	const struct steps_options *asked = options;
	struct step_state *mine = state;

	mine->source = run_source(run);
	mine->run = run;
	steps_init(&mine->steps, asked->wants_rows != 0);
	step_ranges_init(&mine->ranges, asked->name);
	async_scopes_init(&mine->async);
	map_init(&mine->categories);
	step_delay_init(&mine->delay, &mine->steps);
	step_phases_init(&mine->phases, take_phase, mine);
	map_init(&mine->phase_scopes);
	wait_calls_init(&mine->waits, mine->source);
	if (!asked->host_only) {
		struct helpers *helpers = helpers_want(run, NULL);

		mine->helpers = helpers;
		helpers_listen(helpers, take_helped, mine);
		run_reads(run, EVT_cuda_launch, FIELD_BIT(cuda_call, flags),
			  step_events_take_launch, mine);
		run_reads(run, EVT_gpu_call, FIELD_BIT(gpu_call, function),
			  step_events_take_hidden_call, mine);
		deferred_listen(deferred_want(run), &listener, mine);
		run_reads(run, EVT_gpu_cupti, FIELD_BIT(gpu_cupti, state), step_events_take_cupti,
			  mine);
		run_reads(run, EVT_gpu_stretch, FIELDS_ALL, step_events_take_stretch, mine);
	}
	if (asked->name)
		read_ranges(run, mine); /* before the events inside of a step */
	else
		run_reads(run, EVT_step, FIELDS_ALL, step_events_take_mark, mine);
	run_reads(run, EVT_capture_start, 0, step_events_take_capture, mine);
	run_reads(run, EVT_capture_stop, 0, step_events_take_capture, mine);
	if (!asked->marks_only)
		read_contents(run, mine);
	run_enters_step(run, state); /* the step that is under way is shown as a whole */
	run_leaves(run, state);
}

struct async_cut {
	struct step_state *of;
	const struct cut *cut;
};

/* Ends it on the thread on which it began: it is not known which thread would have ended it. */
static void step_events_cut_async(void *state, const struct async_scope *scope)
{
	struct async_cut *mine = state;
	struct nest_place place = scope->place;

	if (scope->key == STEP_NOTHING || mine->cut->time_ns <= place.time_ns)
		return;
	place.time_ns = mine->cut->time_ns;
	put_span(mine->of, place, (enum step_category)scope->key,
		 place.time_ns - scope->place.time_ns);
}

static void step_events_cut(void *state, const struct cut *cut)
{
	struct step_state *mine = state;

	if (!cut->thread) {
		if (cut->reason != CUT_LIVE)
			async_scopes_cut(&mine->async, cut->process->index, step_events_cut_async,
					 &(struct async_cut){ mine, cut });
		step_ranges_forget(&mine->ranges, cut->process->index);
		return;
	}
	step_phases_cut(&mine->phases, cut_place(cut));
	step_delay_put(&mine->delay, &(struct step_op){ .kind = STEP_OP_CUT,
							.place = cut_place(cut),
							.how = cut_ending(cut) });
	step_ranges_cut(&mine->ranges, cut_place(cut));
	(void)collecting_cut(&mine->collecting, cut->thread->index);
}

static void step_events_release(void *state)
{
	struct step_state *mine = state;

	steps_release(&mine->steps);
	step_delay_release(&mine->delay);
	step_phases_release(&mine->phases);
	map_release(&mine->phase_scopes);
	wait_calls_release(&mine->waits);
	step_ranges_release(&mine->ranges);
	async_scopes_release(&mine->async);
	collecting_release(&mine->collecting);
	map_release(&mine->categories);
	free(mine->marked_ns);
}

const struct analysis_kind analysis_steps = {
	.name = "steps",
	.state_bytes = sizeof(struct step_state),
	.options_bytes = sizeof(struct steps_options),
	.start = step_events_start,
	.cut = step_events_cut,
	.settle = step_events_settle,
	.finish = step_events_finish,
	.release = step_events_release,
};

/* --- the option --step of all reports --- */

static const void *window_start(struct run *run, bool by_marks)
{
	return steps_want(run, &(struct steps_options){ .wants_rows = true,
							.host_only = true,
							.marks_only = by_marks });
}

static void window_put(const void *state, const struct run *run, struct windows *windows)
{
	const struct steps *steps = state;
	struct source_process *const *process;
	size_t count = source_processes(run_source(run), &process);

	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_row *row = &steps->row[i];

		if (row->process >= count)
			continue;
		windows_add(windows, &(struct window){ .file = process[row->process]->file->index,
						       .process = process[row->process]->number,
						       .pid = process[row->process]->pid,
						       .number = row->number,
						       .from_ns = row->start_ns,
						       .to_ns = row->start_ns + row->total_ns });
	}
}

const struct window_kind window_kind_step = {
	.name = "step",
	.start = window_start,
	.put = window_put,
};
