/* SPDX-License-Identifier: MIT */
/* What a run means: takes the source's events to the models. See model.h. Knows no table. */
#include "report/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "report/memory.h"
#include "report/model_evidence.h"
#include "report/model_modules.h"
#include "report/model_steps.h"
#include "report/model_tensors.h"
#include "report/model_torch.h"

#define PROGRESS_EVENTS (1u << 20) /* between looks at the clock */
#define PROGRESS_AFTER_S 2

void model_init(struct model *model, struct source *source, const struct model_options *options)
{
	*model = (struct model){ .options = *options, .source = source, .first_ns = UINT64_MAX };
	filters_init(&model->filters, &options->filter);
	heap_init(&model->heap, options->heap_by);
	ranges_init(&model->ranges, options->ranges_by_path);
	ranges_init(&model->modules, true);
	cuda_init(&model->cuda, &options->cuda);
	steps_init(&model->steps, options->wants_step_rows);
	step_ranges_init(&model->step_ranges, options->step_name);
	map_init(&model->step_categories);
	async_scopes_init(&model->async_scopes);
	map_init(&model->evidence_kinds);
	operators_init(&model->operators, options->operators_by_shapes);
	operator_names_init(&model->operator_names);
	actions_init(&model->actions);
	tensors_init(&model->tensors, options->tensors_by);
}

void model_release(struct model *model)
{
	filters_release(&model->filters);
	heap_release(&model->heap);
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
	captured_release(&model->captured);
	actions_release(&model->actions);
	free(model->thread);
	free(model->process);
	free(model->name);
}

static void model_take_born(struct model *model, const struct source_event *event, bool counts)
{
	const struct evt_malloc *born = EVENT_AS(malloc,
						 &event->event); /* the four have the same fields */
	struct range_work *thread = &model_thread_at(model, event->thread->index)->work[counts];
	struct range_work *process = &model_process_at(model, event->process->index)->work[counts];

	thread->allocations++;
	thread->bytes_allocated += born->size;
	process->allocations++;
	process->bytes_allocated += born->size;
	if (model->options.wants_heap)
		heap_take(&model->heap,
			  &(struct heap_op){ event->event.time_ns, born->ptr, born->size,
					     model->options.heap_by == HEAP_BY_OPERATOR
						     ? model_operator(model, event)
						     : born->caller,
					     event->process->index, event->thread->index,
					     HEAP_ALLOCATION, counts });
}

_Static_assert(sizeof(struct evt_malloc) == sizeof(struct evt_calloc) &&
		       sizeof(struct evt_malloc) == sizeof(struct evt_realloc) &&
		       sizeof(struct evt_malloc) == sizeof(struct evt_memalign),
	       "events that begin a block are read as malloc");

static void model_take_dies(struct model *model, const struct source_event *event,
			    enum heap_kind kind, bool counts)
{
	if (model->options.wants_heap)
		heap_take(&model->heap,
			  &(struct heap_op){ event->event.time_ns, event->event.value[0], 0, 0,
					     event->process->index, event->thread->index, kind,
					     counts });
}

static struct range_work work_total(const struct model_tally *tally)
{
	struct range_work total = tally->work[0];

	range_work_add(&total, &tally->work[1]);
	return total;
}

struct range_work model_work_of_thread(struct model *model, uint32_t thread)
{
	return work_total(model_thread_at(model, thread));
}

uint32_t model_name(struct model *model, const struct source_event *event, uint64_t id)
{
	const struct source_name *name = source_name_of(model->source, event->file, id);

	model->name = memory_room(model->name, name->index, &model->name_room,
				  sizeof(*model->name));
	model->name[name->index] = name;
	return name->index;
}

static void model_take_opening(struct model *model, const struct source_event *event, bool counts)
{
	const uint64_t *value = event->event.value; /* domain, name, and for start the number */
	bool of_process = event->event.id == EVT_nvtx_start;
	uint32_t thread = event->thread->index, process = event->process->index;
	struct range_opening opening = {
		.time_ns = event->event.time_ns,
		.owner = of_process ? process : thread,
		.domain = model_name(model, event, value[0]),
		.name = model_name(model, event, value[1]),
		.number = of_process ? EVENT_AS(nvtx_start, &event->event)->range : 0,
		.work = work_total(of_process ? model_process_at(model, process)
					      : model_thread_at(model, thread)),
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
		.owner = of_process ? process : thread,
		.domain = model_name(model, event, event->event.value[0]),
		.number = of_process ? EVENT_AS(nvtx_end, &event->event)->range : 0,
		.work = work_total(of_process ? model_process_at(model, process)
					      : model_thread_at(model, thread)),
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
	case EVT_free:
		model_take_dies(model, event, HEAP_FREE, counts);
		break;
	case EVT_realloc_free:
		model_take_dies(model, event, HEAP_REALLOC_FREE, counts);
		break;
	case EVT_realloc_failed:
		model_take_dies(model, event, HEAP_REALLOC_FAILED, counts);
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
	case EVT_capture_start:
	case EVT_capture_stop:
		model_cut_torch(model, event);
		break;
	case EVT_nvtx_mark:
		model->ranges.marks += counts;
		break;
	}
}

static void model_count(struct model *model, const struct source_event *event, bool counts)
{
	model_thread_at(model, event->thread->index)->events[counts]++;
	model_process_at(model, event->process->index)->events[counts]++;
	if (!counts)
		return;
	model->counted++;
	if (event->event.id < EVT_ID_LIMIT && evt_descriptors[event->event.id].name)
		model->by_id[event->event.id]++;
	else
		model->unknown++;
	if (event->event.time_ns < model->first_ns)
		model->first_ns = event->event.time_ns;
	if (event->event.time_ns > model->last_ns)
		model->last_ns = event->event.time_ns;
}

/* Of the whole run, whatever the filters say. */
static void model_take_capture(struct model *model, const struct source_event *event)
{
	if (event->event.id == EVT_capture_start)
		captured_open(&model->captured, event->process->index, event->event.time_ns);
	else if (event->event.id == EVT_capture_stop)
		captured_close(&model->captured, event->process->index, event->event.time_ns);
}

/* What the collector writes down of modules and losses. */
static void model_take_book(struct model *model, const struct source_event *event)
{
	struct source_process *const *process;
	uint64_t number = event->event.value[0];
	size_t count = source_processes(model->source, &process);

	if (event->event.id == EVT_lost)
		model_cut_lossy_thread(model, event);
	if (event->event.id == EVT_lost && model->options.wants_steps)
		model_cut_steps(model, event);
	if (event->event.id == EVT_lost && model->options.wants_evidence)
		model_cut_evidence(model, event);
	if (event->event.id != EVT_module && event->event.id != EVT_module_end)
		return;
	for (size_t i = 0; i < count; i++)
		if (process[i]->file == event->file && process[i]->number == number)
			heap_forget_callers(&model->heap, process[i]->index);
}

static void model_take(struct model *model, const struct source_event *event)
{
	enum filter_verdict verdict;

	if (!event->process || !event->thread) {
		model_take_book(model, event);
		return;
	}
	model_take_capture(model, event);
	if (event->event.id == EVT_fact)
		model_take_fact(model, event);
	verdict = filters_judge(&model->filters, model->source, event);
	if (verdict == FILTER_OUT)
		return;
	model_count(model, event, verdict == FILTER_COUNTS);
	model_dispatch(model, event, verdict == FILTER_COUNTS);
	if (model->options.wants_steps)
		model_take_steps(model, event, verdict == FILTER_COUNTS);
	if (model->options.wants_evidence)
		model_take_evidence(model, event, verdict == FILTER_COUNTS);
}

/* A process that has not ended may go on in a file that is still being written. */
static bool process_is_over(const struct source_process *process)
{
	return process->ended || process->file->complete;
}

static void model_finish(struct model *model)
{
	struct source_thread *const *thread;
	struct source_process *const *process;
	size_t threads = source_threads(model->source, &thread);
	size_t processes = source_processes(model->source, &process);

	for (size_t i = 0; i < threads; i++) {
		const struct source_process *owner = thread[i]->process;
		uint64_t end_ns = thread[i]->ended ? thread[i]->end_ns : owner->end_ns;

		ranges_finish_thread(&model->ranges, thread[i]->index, end_ns,
				     work_total(model_thread_at(model, thread[i]->index)),
				     process_is_over(owner));
		model_finish_torch(model, thread[i], end_ns, process_is_over(owner));
		model_finish_modules(model, thread[i], end_ns, process_is_over(owner));
	}
	for (size_t i = 0; i < processes; i++) {
		ranges_finish_process(&model->ranges, process[i]->index, process[i]->end_ns,
				      work_total(model_process_at(model, process[i]->index)),
				      process_is_over(process[i]));
		captured_close(&model->captured, process[i]->index, process[i]->end_ns);
	}
	heap_finish(&model->heap);
	device_memory_finish(&model->cuda.memory);
	tensors_finish(&model->tensors);
}

struct progress {
	bool enabled, shown;
	struct timespec start;
	uint64_t events;
};

static void progress_step(struct progress *progress)
{
	struct timespec now;

	if (++progress->events % PROGRESS_EVENTS || !progress->enabled)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec - progress->start.tv_sec < PROGRESS_AFTER_S)
		return;
	progress->shown = true;
	fprintf(stderr, "\rreading: %llu million events",
		(unsigned long long)(progress->events >> 20));
}

void model_read(struct model *model)
{
	struct progress progress = { .enabled = model->options.shows_progress &&
						isatty(STDERR_FILENO) };
	struct source_event event;

	clock_gettime(CLOCK_MONOTONIC, &progress.start);
	while (!source_next(model->source, &event)) {
		model_take(model, &event);
		progress_step(&progress);
	}
	if (progress.shown)
		fprintf(stderr, "\r\033[K");
	model_finish(model);
}

struct model_tally model_tally_of_thread(const struct model *model,
					 const struct source_thread *thread)
{
	return thread->index < model->thread_room ? model->thread[thread->index]
						  : (struct model_tally){ 0 };
}

struct model_tally model_tally_of_process(const struct model *model,
					  const struct source_process *process)
{
	return process->index < model->process_room ? model->process[process->index]
						    : (struct model_tally){ 0 };
}
