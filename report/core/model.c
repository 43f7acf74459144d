/* SPDX-License-Identifier: MIT */
/* What a run means: takes the source's events to the models. See model.h. Knows no table. */
#include "report/core/model.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/core/cut.h"
#include "report/core/wants.h"
#include "report/advice/model_evidence.h"
#include "report/modules/model_modules.h"
#include "report/steps/model_steps.h"
#include "report/tensors/model_tensors.h"
#include "report/torch/model_torch.h"

/* All that is not an analysis of its own yet, as one. */
struct model_state {
	struct model *model;
};

static void model_want(struct model *model, const struct model_options *options);

void model_init(struct model *model, struct source *source, const struct model_options *options)
{
	*model = (struct model){ .options = *options, .source = source };
	ranges_init(&model->ranges, options->ranges_by_path);
	ranges_init(&model->modules, true);
	cuda_init(&model->cuda, &options->cuda);
	steps_init(&model->steps, options->wants_step_rows);
	step_ranges_init(&model->step_ranges, options->step_name);
	map_init(&model->step_categories);
	async_scopes_init(&model->async_scopes);
	evidence_init(&model->evidence);
	map_init(&model->evidence_kinds);
	operators_init(&model->operators, options->operators_by_shapes);
	operator_names_init(&model->operator_names);
	actions_init(&model->actions);
	tensors_init(&model->tensors, options->tensors_by);
	model_want(model, options);
}

void model_release(struct model *model)
{
	run_free(model->run);
	ranges_release(&model->ranges);
	ranges_release(&model->modules);
	cuda_release(&model->cuda);
	steps_release(&model->steps);
	step_ranges_release(&model->step_ranges);
	map_release(&model->step_categories);
	async_scopes_release(&model->async_scopes);
	environment_release(&model->environment);
	evidence_release(&model->evidence);
	map_release(&model->evidence_kinds);
	operators_release(&model->operators);
	operator_names_release(&model->operator_names);
	tensors_release(&model->tensors);
	actions_release(&model->actions);
	free(model->thread);
	free(model->process);
}

static void model_take_born(struct model *model, const struct source_event *event, bool counts)
{
	/* the four have the same fields */
	const struct evt_malloc *born = EVENT_AS(malloc, &event->event);
	struct range_work *thread = &model_thread_at(model, event->thread->index)->work[counts];
	struct range_work *process = &model_process_at(model, event->process->index)->work[counts];

	thread->allocations++;
	thread->bytes_allocated += born->size;
	process->allocations++;
	process->bytes_allocated += born->size;
}

static struct range_work work_total(const struct model_tally *tally, const struct block_sum *passed)
{
	struct range_work total = tally->work[0];

	range_work_add(&total, &tally->work[1]);
	total.allocations += passed->events;
	total.bytes_allocated += passed->bytes;
	return total;
}

struct range_work model_work_of_thread(struct model *model, const struct source_thread *thread)
{
	return work_total(model_thread_at(model, thread->index), &thread->sum);
}

static struct range_work work_of_process(struct model *model, const struct source_process *process)
{
	return work_total(model_process_at(model, process->index), &process->sum);
}

uint32_t model_name(struct model *model, const struct source_event *event, uint64_t id)
{
	return source_name_of(model->source, event->file, id)->index;
}

static void model_take_opening(struct model *model, const struct source_event *event, bool counts)
{
	const uint64_t *value = event->event.value; /* domain, name, and for start the number */
	bool of_process = event->event.id == EVT_nvtx_start;
	uint32_t thread = event->thread->index, process = event->process->index;
	struct range_opening opening = {
		.time_ns = event->event.time_ns,
		.thread = thread,
		.process = process,
		.domain = model_name(model, event, value[0]),
		.name = model_name(model, event, value[1]),
		.number = of_process ? EVENT_AS(nvtx_start, &event->event)->range : 0,
		.work = of_process ? work_of_process(model, event->process)
				   : model_work_of_thread(model, event->thread),
		.counts = counts,
	};

	model_thread_at(model, thread)->nvtx_ranges[counts]++;
	model_process_at(model, process)->nvtx_ranges[counts]++;
	if (!model->options.wants_ranges)
		return;
	if (of_process)
		ranges_start(&model->ranges, &opening);
	else
		ranges_push(&model->ranges, &opening);
}

static void model_take_closing(struct model *model, const struct source_event *event)
{
	bool of_process = event->event.id == EVT_nvtx_end;
	uint32_t thread = event->thread->index, process = event->process->index;
	struct range_closing closing = {
		.time_ns = event->event.time_ns,
		.thread = thread,
		.process = process,
		.domain = model_name(model, event, event->event.value[0]),
		.number = of_process ? EVENT_AS(nvtx_end, &event->event)->range : 0,
		.work = of_process ? work_of_process(model, event->process)
				   : model_work_of_thread(model, event->thread),
	};

	if (!model->options.wants_ranges)
		return;
	if (of_process)
		ranges_end(&model->ranges, &closing);
	else
		ranges_pop(&model->ranges, &closing);
}

static void model_take_cuda(struct model *model, const struct source_event *event, bool counts)
{
	const struct event *inner = &event->event;
	struct range_work work;
	struct range_work *thread = &model_thread_at(model, event->thread->index)->work[counts];
	struct range_work *process = &model_process_at(model, event->process->index)->work[counts];
	struct cuda_call call = { .event = inner,
				  .process = event->process->index,
				  .thread = event->thread->index,
				  .counts = counts };

	if (cuda_is_nested(inner))
		return;
	work = cuda_work_of(inner);
	range_work_add(thread, &work);
	range_work_add(process, &work);
	if (counts)
		model_note_cuda(model, event, &work);
	if (!model->options.wants_cuda)
		return;
	call.function = model_name(model, event, EVENT_AS(cuda_call, inner)->function);
	if (inner->id == EVT_cuda_launch) {
		call.is_named = EVENT_AS(cuda_launch, inner)->kernel != 0;
		call.kernel = model_name(model, event, EVENT_AS(cuda_launch, inner)->kernel);
	}
	call.place.in_range = ranges_innermost(&model->ranges, call.thread, &call.place.domain,
					       &call.place.name);
	call.op = model_operator(model, event);
	cuda_take(&model->cuda, &call);
}

static void model_note_tensor(struct model *model, const struct source_event *event, bool counts)
{
	const struct evt_tensor_alloc *block = EVENT_AS(tensor_alloc, &event->event);

	if (event->event.id != EVT_tensor_alloc)
		return;
	model_thread_at(model, event->thread->index)->work[counts].tensor_bytes += block->bytes;
	model_process_at(model, event->process->index)->work[counts].tensor_bytes += block->bytes;
}

static void model_dispatch(struct model *model, const struct source_event *event, bool counts)
{
	switch (event->event.id) {
	case EVT_malloc:
	case EVT_calloc:
	case EVT_realloc:
	case EVT_memalign:
		model_take_born(model, event, counts);
		break;
	case EVT_nvtx_push:
	case EVT_nvtx_push_ex:
	case EVT_nvtx_start:
		model_take_opening(model, event, counts);
		model_note_range(model, event, counts);
		break;
	case EVT_nvtx_pop:
	case EVT_nvtx_end:
		model_take_closing(model, event);
		model_note_range(model, event, counts);
		break;
	case EVT_cuda_call:
	case EVT_cuda_launch:
	case EVT_cuda_copy:
	case EVT_cuda_alloc:
	case EVT_cuda_free:
		model_take_cuda(model, event, counts);
		break;
	case EVT_torch_begin:
	case EVT_torch_begin_ex:
	case EVT_torch_end:
	case EVT_torch_end_ex:
	case EVT_torch_inputs:
	case EVT_torch_async_begin:
	case EVT_torch_async_end:
	case EVT_torch_sampling:
	case EVT_action_begin:
	case EVT_action_end:
		model_take_torch(model, event, counts);
		break;
	case EVT_tensor_alloc:
	case EVT_tensor_free:
	case EVT_tensor_totals:
	case EVT_tensor_oom:
		model_note_tensor(model, event, counts);
		model_take_tensors(model, event, counts);
		break;
	case EVT_torch_module_begin:
	case EVT_torch_module_end:
		model_take_module(model, event, counts);
		break;
	case EVT_nvtx_mark:
		model->ranges.marks += counts;
		break;
	}
}

static void model_cut(void *state, const struct cut *cut)
{
	struct model *model = ((struct model_state *)state)->model;
	struct nest_place place = cut_place(cut);
	enum nest_ending how = cut_ending(cut);
	struct range_work work;

	if (!cut->thread) {
		work = work_of_process(model, cut->process);
		ranges_cut_started(&model->ranges, place, work, how);
		step_ranges_forget(&model->step_ranges, place.process);
		return;
	}
	work = model_work_of_thread(model, cut->thread);
	ranges_cut(&model->ranges, place, work, how);
	ranges_cut(&model->modules, place, work, how);
	operators_cut(&model->operators, place, how);
	actions_cut(&model->actions, place, how);
	steps_cut(&model->steps, place, how);
	step_ranges_cut(&model->step_ranges, place);
	evidence_cut(&model->evidence, place, how);
	if (cut->reason == CUT_LOST)
		evidence_interrupt(&model->evidence, place.process);
}

static void model_take(void *state, const struct source_event *event, bool counts)
{
	struct model *model = ((struct model_state *)state)->model;

	if (event->event.id == EVT_fact)
		model_take_fact(model, event);
	model_dispatch(model, event, counts);
	if (model->options.wants_steps)
		model_take_steps(model, event, counts);
	if (model->options.wants_evidence)
		model_take_evidence(model, event, counts);
}

static void model_finish(void *state)
{
	struct model *model = ((struct model_state *)state)->model;

	device_memory_finish(&model->cuda.memory);
	tensors_finish(&model->tensors);
}

static void model_reads(struct run *run, enum evt_family family, void *state)
{
	for (int id = 0; id < EVT_ID_LIMIT; id++)
		if (evt_descriptors[id].name && evt_descriptors[id].family == family)
			run_reads(run, (enum evt_id)id, FIELDS_ALL, model_take, state);
}

static void model_reads_born(struct run *run, void *state)
{
	static const enum evt_id born[] = { EVT_malloc, EVT_calloc, EVT_realloc, EVT_memalign };

	for (size_t i = 0; i < sizeof(born) / sizeof(born[0]); i++)
		run_reads(run, born[i], FIELD_BIT(malloc, size), model_take, state);
}

static void model_start(void *state, struct run *run, const void *given)
{
	struct model_state *mine = state;
	const struct model_options *options;
	bool work;

	*mine = *(const struct model_state *)given;
	options = &mine->model->options;
	work = !options->skips_work;
	if (work)
		model_reads_born(run, state);
	model_reads(run, EVT_FAMILY_nvtx, state);
	model_reads(run, EVT_FAMILY_capture, state);
	model_reads(run, EVT_FAMILY_steps, state);
	if (work || options->wants_operators || options->wants_actions || options->wants_steps)
		model_reads(run, EVT_FAMILY_torch, state);
	else
		run_reads(run, EVT_torch_sampling, FIELDS_ALL, model_take, state);
	if (work || options->wants_tensors || options->wants_operators)
		model_reads(run, EVT_FAMILY_tensors, state);
	if (work || options->wants_cuda || options->wants_operators || options->wants_steps)
		model_reads(run, EVT_FAMILY_cuda, state);
	if (options->wants_modules)
		model_reads(run, EVT_FAMILY_modules, state);
}

static const struct analysis_kind analysis_model = {
	.name = "model",
	.state_bytes = sizeof(struct model_state),
	.options_bytes = sizeof(struct model_state),
	.start = model_start,
	.cut = model_cut,
	.finish = model_finish,
};

static uint64_t operator_key(const void *state, const struct source_event *event)
{
	return model_operator(state, event);
}

static void model_want(struct model *model, const struct model_options *options)
{
	struct heap_options heap = { .by = options->heap_by };
	struct frame_wants wants;

	if (options->heap_by == HEAP_BY_OPERATOR)
		heap.key = (struct run_key){ operator_key, model };
	model->run = run_new(model->source, &options->filter);
	run_want(model->run, &analysis_model, &(struct model_state){ model });
	if (options->wants_heap)
		model->heap = heap_want(model->run, &heap);
	wants_of_model(&wants, options);
	run_narrow(model->run, &wants);
}

void model_read(struct model *model)
{
	run_read(model->run, model->options.shows_progress);
}

static void tally_add_passed(const struct model *model, struct model_tally *tally,
			     const struct block_sum *sum)
{
	bool counts = !run_filters(model->run)->any;

	tally->work[counts].allocations += sum->events;
	tally->work[counts].bytes_allocated += sum->bytes;
}

struct model_tally model_tally_of_thread(const struct model *model,
					 const struct source_thread *thread)
{
	struct model_tally tally = { 0 };

	if (thread->index < model->thread_room)
		tally = model->thread[thread->index];
	tally.events = run_events_of_thread(model->run, thread);
	tally_add_passed(model, &tally, &thread->sum);
	return tally;
}

struct model_tally model_tally_of_process(const struct model *model,
					  const struct source_process *process)
{
	struct model_tally tally = { 0 };

	if (process->index < model->process_room)
		tally = model->process[process->index];
	tally.events = run_events_of_process(model->run, process);
	tally_add_passed(model, &tally, &process->sum);
	return tally;
}
