/* SPDX-License-Identifier: MIT */
/* Events become operations of evidence.h. */
#include "report/advice/evidence_events.h"

#include "report/core/collecting.h"
#include "report/core/work.h"
#include "report/cuda/device_memory.h"
#include "report/scopes/async_scopes.h"
#include "report/heap/heap_events.h"
#include "report/heap/mapping_events.h"
#include "report/base/text.h"
#include "report/scopes/scope_events.h"

#define SCOPE_OF_CALL 15u /* beside at::RecordScope */

static enum evidence_kind look_at_name(const struct source_name *name, uint64_t scope)
{
	return scope == SCOPE_OF_CALL ? evidence_kind_of_call(name->text, name->length)
				      : evidence_kind_of(name->text, name->length, scope);
}

struct evidence_state {
	struct evidence evidence; /* first: it is what others see */
	const struct run *run;
	struct source *source;
	struct heap *heap;
	struct mappings *mappings;
	struct collecting collecting;
	struct async_scopes async; /* collectives that end on any thread */
	struct map kinds;          /* name's index << 4 | scope, + 1, to enum evidence_kind */
};

static bool is_seed(const struct source_name *name)
{
	return text_is(name->text, name->length, "aten::ones_like");
}

/* Classifies a name once, except one whose text is not there yet. */
static enum evidence_kind evidence_events_kind_of(struct evidence_state *mine,
						  const struct source_event *event, uint64_t id,
						  uint64_t scope)
{
	uint32_t index = event_name(mine->source, event, id);
	const struct source_name *name = source_name_at(mine->source, index);
	struct map_entry *known;
	bool added;

	if (!name->text)
		return evidence_kind_of("", 0, scope);
	known = map_put(&mine->kinds, ((uint64_t)index << 4 | (scope & 15)) + 1, &added);
	if (added)
		known->value = look_at_name(name, scope);
	if (added && is_seed(name))
		mine->evidence.gaps.seed_name = index;
	return (enum evidence_kind)known->value;
}

/* --- scopes --- */

static void evidence_events_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct evidence_state *mine = state;
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);
	bool is_ex = event->event.id != EVT_torch_begin;
	struct evidence_opening opening = { .place = event_place(event) };

	(void)counts;
	opening.kind = evidence_events_kind_of(mine, event, begin->name, event_record_scope(event));
	opening.name = event_name(mine->source, event, begin->name);
	opening.records_gradient = is_ex && begin->sequence >= 0;
	evidence_open(&mine->evidence, &opening);
}

static void take_inputs(void *state, const struct source_event *event, bool counts)
{
	static const char wanted[] = "'double'";
	struct evidence_state *mine = state;
	const struct source_name *types = source_name_at(
		mine->source,
		event_name(mine->source, event, EVENT_AS(torch_inputs, &event->event)->types));

	(void)counts;
	evidence_typed(&mine->evidence, event_place(event),
		       types->text && memmem(types->text, types->length, wanted, strlen(wanted)));
}

#define FLOAT64 7u /* c10::ScalarType */

static void take_types(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	evidence_typed(&((struct evidence_state *)state)->evidence, event_place(event),
		       EVENT_AS(torch_typed, &event->event)->types >> FLOAT64 & 1);
}

static void evidence_events_take_end(void *state, const struct source_event *event, bool counts)
{
	uint64_t name = EVENT_AS(torch_end_ex, &event->event)->name;
	struct evidence_state *mine = state;

	(void)counts;
	if (!event_ends_named(event))
		evidence_close(&mine->evidence, event_place(event));
	else if (!event_ends_elsewhere(event))
		evidence_close_one(&mine->evidence, event_place(event),
				   evidence_events_kind_of(mine, event, name, EVT_SCOPE_USER));
}

/* --- collectives --- */

/* One that is open under the same address has ended unseen. */
static void evidence_events_take_async(void *state, const struct source_event *event, bool counts)
{
	const struct evt_torch_async_begin *begin = EVENT_AS(torch_async_begin, &event->event);
	struct evidence_state *mine = state;
	struct async_scope scope = { .place = event_place(event), .counts = counts };

	if (evidence_events_kind_of(mine, event, begin->name, EVT_SCOPE_USER) !=
	    EVIDENCE_COMMUNICATION)
		return;
	if (!async_scopes_end(&mine->async, scope.place.process, begin->function,
			      &(struct async_scope){ 0 }))
		gaps_sends(&mine->evidence.gaps, scope.place);
	async_scopes_begin(&mine->async, begin->function, &scope);
}

static void evidence_events_take_async_end(void *state, const struct source_event *event,
					   bool counts)
{
	struct evidence_state *mine = state;
	struct nest_place place = event_place(event);

	(void)counts;
	if (async_scopes_end(&mine->async, place.process,
			     EVENT_AS(torch_async_end, &event->event)->function,
			     &(struct async_scope){ 0 }))
		gaps_sent(&mine->evidence.gaps, place);
}

struct evidence_async_cut {
	struct gaps *gaps;
	uint64_t time_ns;
};

static void evidence_events_cut_async(void *state, const struct async_scope *scope)
{
	const struct evidence_async_cut *cut = state;
	struct nest_place place = scope->place;

	place.time_ns = cut->time_ns;
	gaps_sent(cut->gaps, place);
}

/* --- ranges and actions: labels of the user's --- */

static void open_label(struct evidence_state *mine, const struct source_event *event,
		       enum evidence_kind kind, uint64_t name)
{
	evidence_open(&mine->evidence,
		      &(struct evidence_opening){ .place = event_place(event),
						  .kind = kind,
						  .name = event_name(mine->source, event, name) });
}

static void take_push(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	open_label(state, event, EVIDENCE_RANGE, EVENT_AS(nvtx_push, &event->event)->name);
}

static void take_push_ex(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	open_label(state, event, EVIDENCE_RANGE, EVENT_AS(nvtx_push_ex, &event->event)->name);
}

static void take_pop(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	evidence_close_one(&((struct evidence_state *)state)->evidence, event_place(event),
			   EVIDENCE_RANGE);
}

static void take_action(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	open_label(state, event, EVIDENCE_ACTION, EVENT_AS(action_begin, &event->event)->name);
}

static void take_action_end(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	evidence_close_one(&((struct evidence_state *)state)->evidence, event_place(event),
			   EVIDENCE_ACTION);
}

/* --- CUDA calls --- */

static bool function_waits(struct evidence_state *mine, const struct source_event *event,
			   uint64_t function)
{
	return evidence_events_kind_of(mine, event, function, SCOPE_OF_CALL) == EVIDENCE_WAITS;
}

static bool call_waits(struct evidence_state *mine, const struct source_event *event)
{
	return function_waits(mine, event, EVENT_AS(cuda_call, &event->event)->function);
}

static bool is_of_device_memory(const struct source_event *event)
{
	uint64_t kind;

	if (event->event.id == EVT_cuda_alloc)
		return EVENT_AS(cuda_alloc, &event->event)->kind == EVT_CUDA_DEVICE;
	if (event->event.id != EVT_cuda_free)
		return false;
	kind = EVENT_AS(cuda_free, &event->event)->kind;
	return kind == EVT_CUDA_ANY || kind == EVT_CUDA_DEVICE;
}

/* Collections belong to STEP_gc, and have advice of their own. */
static void take_collection(void *state, const struct source_event *event, bool counts)
{
	collecting_begin(&((struct evidence_state *)state)->collecting, event, counts);
}

static void take_collected(void *state, const struct source_event *event, bool counts)
{
	struct evidence_state *mine = state;
	struct collected collected;

	(void)counts;
	if (collecting_end(&mine->collecting, event, &collected))
		evidence_pause(&mine->evidence, event_place(event), collected.duration_ns);
}

static void take_any_call(void *state, const struct source_event *event, bool counts)
{
	struct evidence_state *mine = state;
	uint64_t duration_ns = EVENT_AS(cuda_call, &event->event)->duration_ns;

	(void)counts;
	if (event_is_nested_call(&event->event))
		return;
	if (event->event.id == EVT_cuda_launch)
		evidence_launch(&mine->evidence, event->process->index);
	evidence_call(&mine->evidence, event_place(event), duration_ns);
	if (duration_ns >= GAP_SHORT_NS || is_of_device_memory(event) || call_waits(mine, event))
		evidence_hold(&mine->evidence, event->process->index, duration_ns);
}

/* A call that could not be interposed, as in a statically linked runtime. */
static void take_hidden_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_call *call = EVENT_AS(gpu_call, &event->event);
	struct evidence_state *mine = state;
	enum evidence_kind kind = evidence_events_kind_of(mine, event, call->function,
							  SCOPE_OF_CALL);
	bool waits = kind == EVIDENCE_WAITS;

	(void)counts;
	evidence_launch(&mine->evidence, event->process->index);
	evidence_call(&mine->evidence, event_place(event), call->duration_ns);
	if (waits)
		evidence_wait(&mine->evidence, event_place(event), call->duration_ns);
	if (kind == EVIDENCE_COPY)
		evidence_hidden_copy(&mine->evidence, event_place(event), call->duration_ns);
	if (waits || call->duration_ns >= GAP_SHORT_NS)
		evidence_hold(&mine->evidence, event->process->index, call->duration_ns);
}

static void take_call(void *state, const struct source_event *event, bool counts)
{
	struct evidence_state *mine = state;

	(void)counts;
	if (!event_is_nested_call(&event->event) && call_waits(mine, event))
		evidence_wait(&mine->evidence, event_place(event),
			      EVENT_AS(cuda_call, &event->event)->duration_ns);
}

/*
 * CUDA: an asynchronous copy from the device to memory that is not pinned returns when it is done
 * (CUDA Runtime API, "API synchronization behavior"). If the call was short, there was nothing to
 * wait for.
 */
static bool waits_for_data(const struct evidence_state *mine, uint32_t process,
			   const struct evt_cuda_copy *copy)
{
	return copy->kind == EVT_CUDA_COPY_DTOH && copy->destination &&
	       copy->duration_ns >= GAP_SHORT_NS &&
	       !evidence_is_pinned(&mine->evidence, process, copy->destination);
}

static void evidence_events_take_copy(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_copy *copy = EVENT_AS(cuda_copy, &event->event);
	struct evidence_copy made = { copy->source, copy->bytes, copy->duration_ns };
	struct evidence_state *mine = state;

	(void)counts;
	if (event_is_nested_call(&event->event))
		return;
	if (call_waits(mine, event) || waits_for_data(mine, event->process->index, copy))
		evidence_wait(&mine->evidence, event_place(event), copy->duration_ns);
	else if (copy->kind == EVT_CUDA_COPY_HTOD && copy->source)
		evidence_copy(&mine->evidence, event_place(event), &made);
}

static void take_alloc(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_alloc *alloc = EVENT_AS(cuda_alloc, &event->event);
	struct evidence *evidence = &((struct evidence_state *)state)->evidence;

	(void)counts;
	if (event_is_nested_call(&event->event))
		return;
	if (alloc->kind == EVT_CUDA_DEVICE)
		evidence_device_memory(evidence, event_place(event), alloc->duration_ns, false);
	else if (device_kind_is_host(alloc->kind) && !alloc->result)
		evidence_pin(evidence, event->process->index, alloc->address, alloc->bytes);
}

static void evidence_events_take_free(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_free *freed = EVENT_AS(cuda_free, &event->event);
	struct evidence *evidence = &((struct evidence_state *)state)->evidence;

	(void)counts;
	if (event_is_nested_call(&event->event))
		return;
	if (device_kind_is_host(freed->kind))
		evidence_unpin(evidence, event->process->index, freed->address);
	else if (freed->kind == EVT_CUDA_ANY || freed->kind == EVT_CUDA_DEVICE)
		evidence_device_memory(evidence, event_place(event), freed->duration_ns, true);
}

/* --- memory, and where steps end --- */

static void take_growth(void *state, const struct source_event *event, bool counts,
			const struct work *work)
{
	(void)counts;
	evidence_tensors(&((struct evidence_state *)state)->evidence, event->process->index,
			 work->tensor_cpu_growth + work->tensor_device_growth);
}

/* Returns the scheduler's times up to now. */
static struct evidence_scheduler scheduler_of(const struct evidence_state *mine,
					      const struct source_event *event)
{
	struct evidence_scheduler now = { .time_ns = event->event.time_ns,
					  .is_known = event->thread->cpu.is_looked,
					  .runnable_ns = event->thread->cpu.runnable_ns,
					  .running_ns = event->thread->cpu.last_ns,
					  .cpu_ns = source_cpu_ns(mine->source) };

	return now;
}

static void evidence_events_take_step(void *state, const struct source_event *event, bool counts)
{
	struct evidence_state *mine = state;
	const struct mapping_process *mapped = mappings_of(mine->mappings, mine->source,
							   event->process->index);

	evidence_step(&mine->evidence, event_place(event),
		      &(struct evidence_mark){ .number = EVENT_AS(step, &event->event)->number,
					       .heap_bytes = heap_live_bytes(mine->heap),
					       .arena_bytes = mapped ? mapped->python_bytes : 0,
					       .counts = counts,
					       .now = scheduler_of(mine, event) });
	/* without operators, the step that begins would be one long gap between them */
	if (!run_covers(mine->run, event->process->index, event->event.time_ns))
		evidence_interrupt(&mine->evidence, event->process->index);
}

static void take_clock(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	evidence_clock(&((struct evidence_state *)state)->evidence, event_place(event),
		       EVENT_AS(thread_clock, &event->event)->cpu_ns);
}

static void evidence_events_take_capture(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	evidence_interrupt(&((struct evidence_state *)state)->evidence, event->process->index);
}

static void evidence_events_take_detail_start(void *state, const struct source_event *event,
					      bool counts)
{
	(void)counts;
	evidence_detail(&((struct evidence_state *)state)->evidence, event->process->index);
}

/* The same where a window of time begins, or ends. */
static void evidence_events_take_window(void *state, const struct source_event *event, bool counts)
{
	const struct evt_detail_asked *asked = EVENT_AS(detail_asked, &event->event);
	const struct source_process *process = source_process_of(event->file, asked->process);

	(void)counts;
	if (process && !asked->on)
		evidence_interrupt(&((struct evidence_state *)state)->evidence, process->index);
	else if (process)
		evidence_detail(&((struct evidence_state *)state)->evidence, process->index);
}

/* --- the analysis --- */

/* What memory is pinned, only all of them say: no promise is made of these. */
static void evidence_events_read_cuda(struct evidence_state *mine, struct run *run)
{
	run_reads_calls(run, EVT_FAMILY_cuda, FIELDS_ALL, take_any_call, mine);
	run_reads(run, EVT_gpu_call, FIELDS_ALL, take_hidden_call, mine);
	run_reads(run, EVT_cuda_call, FIELDS_ALL, take_call, mine);
	run_reads(run, EVT_cuda_copy, FIELDS_ALL, evidence_events_take_copy, mine);
	run_reads(run, EVT_cuda_alloc, FIELDS_ALL, take_alloc, mine);
	run_reads(run, EVT_cuda_free, FIELDS_ALL, evidence_events_take_free, mine);
}

static void evidence_events_start(void *state, struct run *run, const void *options)
{
	struct evidence_state *mine = state;

	(void)options;
	mine->source = run_source(run);
	mine->run = run;
	mine->heap = heap_want(run, &(struct heap_options){ .by = BY_alloc_stack });
	mine->mappings = mappings_want(run, NULL);
	evidence_init(&mine->evidence);
	mine->evidence.gaps.helpers = helpers_want(run, NULL);
	map_init(&mine->kinds);
	works_listen(works_want(run, WORK_BIT(tensor_cpu_growth) | WORK_BIT(tensor_device_growth)),
		     take_growth, mine);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELDS_ALL, evidence_events_take_begin,
			 evidence_events_take_end, mine);
	run_reads(run, EVT_torch_inputs, FIELD_BIT(torch_inputs, types), take_inputs, mine);
	run_reads(run, EVT_torch_typed, FIELDS_ALL, take_types, mine);
	async_scopes_init(&mine->async);
	run_reads(run, EVT_torch_async_begin, FIELDS_ALL, evidence_events_take_async, mine);
	run_reads(run, EVT_torch_async_end, FIELDS_ALL, evidence_events_take_async_end, mine);
	run_reads(run, EVT_nvtx_push, FIELDS_ALL, take_push, mine);
	run_reads(run, EVT_nvtx_push_ex, FIELDS_ALL, take_push_ex, mine);
	run_reads(run, EVT_nvtx_pop, 0, take_pop, mine);
	run_reads(run, EVT_action_begin, FIELDS_ALL, take_action, mine);
	run_reads(run, EVT_action_end, 0, take_action_end, mine);
	run_reads(run, EVT_gc_begin, 0, take_collection, mine);
	run_reads(run, EVT_gc_end, 0, take_collected, mine);
	run_reads(run, EVT_step, FIELDS_ALL, evidence_events_take_step, mine);
	run_reads(run, EVT_thread_clock, FIELDS_ALL, take_clock, mine);
	run_reads(run, EVT_capture_start, 0, evidence_events_take_capture, mine);
	run_reads(run, EVT_capture_stop, 0, evidence_events_take_capture, mine);
	run_reads(run, EVT_detail_start, 0, evidence_events_take_detail_start, mine);
	run_reads(run, EVT_detail_stop, 0, evidence_events_take_capture, mine);
	run_reads(run, EVT_detail_asked, FIELDS_ALL, evidence_events_take_window, mine);
	run_seeks(run, mine);
	evidence_events_read_cuda(mine, run);
}

static void evidence_events_cut(void *state, const struct cut *cut)
{
	struct evidence_state *mine = state;

	if (!cut->thread) {
		if (cut->reason != CUT_LIVE)
			async_scopes_cut(
				&mine->async, cut->process->index, evidence_events_cut_async,
				&(struct evidence_async_cut){ &mine->evidence.gaps, cut->time_ns });
		return;
	}
	(void)collecting_cut(&mine->collecting, cut->thread->index);
	evidence_cut(&mine->evidence, cut_place(cut), cut_ending(cut));
	if (cut->reason == CUT_LOST)
		evidence_interrupt(&mine->evidence, cut->process->index);
}

static void evidence_events_release(void *state)
{
	struct evidence_state *mine = state;

	evidence_release(&mine->evidence);
	async_scopes_release(&mine->async);
	map_release(&mine->kinds);
	collecting_release(&mine->collecting);
}

const struct analysis_kind analysis_evidence = {
	.name = "evidence",
	.state_bytes = sizeof(struct evidence_state),
	.options_bytes = sizeof(struct evidence_options),
	.start = evidence_events_start,
	.cut = evidence_events_cut,
	.release = evidence_events_release,
};
