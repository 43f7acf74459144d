/* SPDX-License-Identifier: MIT */
/*
 * Events of a trace that do not nest: calls of CUDA and of input and output, which are recorded at
 * their end; memory of tensors; resident memory; NVTX marks and ranges of a process; steps. See
 * producer.h.
 */
#include "report/trace/producer.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/base/memory.h"
#include "report/options/keys.h"

#define COUNTER_EVERY_NS 1000000u /* for a counter that changes all the time */
#define CALL_FUNCTION 0u          /* the first field of all calls */

struct trace_range {
	uint64_t start_ns, id, key;
	uint32_t thread, name, next; /* next: for an unused entry */
	bool counts, is_open;
};

/* --- calls --- */

/* cuMemAlloc, not cudaMalloc */
static bool is_of_driver(struct trace_text name)
{
	return name.length > 2 && !memcmp(name.text, "cu", 2) && name.text[2] >= 'A' &&
	       name.text[2] <= 'Z';
}

/* CUPTI's number of the call; for another call, a number that exceeds CUPTI's 32 bits. */
static uint64_t trace_moments_correlation_of(struct trace *trace, const struct event *event)
{
	uint64_t correlation = 0;

	if (event->id == EVT_cuda_launch)
		correlation = EVENT_AS(cuda_launch, event)->correlation;
	else if (event->id == EVT_cuda_copy)
		correlation = EVENT_AS(cuda_copy, event)->correlation;
	else if (event->id == EVT_cuda_call)
		correlation = EVENT_AS(cuda_call, event)->correlation;
	else if (event->id == EVT_gpu_call)
		correlation = EVENT_AS(gpu_call, event)->correlation;
	return correlation ? correlation : UINT32_MAX + ++trace->ids;
}

/* False for what is unknown of a call that did not return, and for a missing descriptor. */
static bool field_is_known(const struct event *event)
{
	if (event->id == EVT_io_unfinished)
		return EVENT_AS(io_unfinished, event)->fd >= 0;
	return event->id != EVT_cuda_unfinished;
}

/* Describes the fields of a call as arguments. Their names are compared only once. */
static void describe_fields(struct trace *trace, enum evt_id id)
{
	const struct evt_descriptor *known = &evt_descriptors[id];

	for (unsigned int i = CALL_FUNCTION + 1; i < known->field_count; i++) {
		struct trace_argument *field = &trace->call_field[id][i];
		enum evt_codec codec = known->field[i].codec;

		field->name = known->field[i].name;
		/* HTA takes an event with this argument for work of a GPU */
		if (!strcmp(field->name, "stream"))
			field->name = "stream handle";
		for (int at = TRACE_ARGUMENT_LIMIT - 1; at > TRACE_OF_FIELD && !field->id; at--)
			if (!strcmp(field->name, trace_argument_names[at]))
				field->id = (enum trace_argument_id)at;
		field->type = codec == EVT_CODEC_name                               ? TRACE_STRING
			      : codec == EVT_CODEC_sint || codec == EVT_CODEC_delta ? TRACE_SIGNED
										    : TRACE_NUMBER;
	}
}

/*
 * All fields except the number of the call, the name of the function and the duration, which the
 * event itself has.
 */
static void list_fields(struct trace *trace, struct trace_list *list,
			const struct source_event *event)
{
	const struct evt_descriptor *known = &evt_descriptors[event->event.id];

	for (unsigned int i = CALL_FUNCTION + 1; i < known->field_count; i++) {
		const struct trace_argument *field = &trace->call_field[event->event.id][i];
		uint64_t value = event->event.value[i];

		if (known->field[i].is_span || field->id == TRACE_OF_CORRELATION ||
		    !field_is_known(&event->event))
			continue;
		list->argument[list->count] = *field;
		if (field->type == TRACE_STRING)
			list->argument[list->count].text = trace_text(
				&trace->texts, TRACE_AS_IS,
				event_name(trace->source, event, value));
		else
			list->argument[list->count].number = value;
		list->count++;
	}
}

/* `category`: TRACE_RUNTIME for a CUDA call, which is corrected for a call of the driver. */
static void trace_moments_put_call(struct trace *trace, const struct source_event *event,
				   enum trace_category category, uint64_t duration_ns)
{
	uint32_t name = event_name(trace->source, event, event->event.value[CALL_FUNCTION]);
	uint64_t end_ns = event->event.time_ns;
	struct trace_list list;
	struct trace_slice slice = {
		.event = { .category = category,
			   .name = trace_text(&trace->texts, TRACE_AS_IS, name),
			   .argument = list.argument },
		.duration_ns = duration_ns < end_ns ? duration_ns : end_ns,
		.is_cut = event->event.id == EVT_io_unfinished ||
			  event->event.id == EVT_cuda_unfinished,
	};
	uint64_t external = category == TRACE_IO ? 0
						 : trace_operator_id(trace, event->thread->index);

	list.count = 0;
	if (category == TRACE_RUNTIME && is_of_driver(slice.event.name))
		slice.event.category = TRACE_DRIVER;
	slice.event.time_ns = end_ns - slice.duration_ns;
	if (external)
		trace_add_number(&list, TRACE_OF_EXTERNAL_ID, external);
	if (category != TRACE_IO)
		trace_add_number(&list, TRACE_OF_CORRELATION,
				 trace_moments_correlation_of(trace, &event->event));
	list_fields(trace, &list, event);
	slice.event.arguments = list.count;
	trace_put_slice(trace, event->thread, slice);
}

static void trace_moments_take_cuda(void *state, const struct source_event *event, bool counts)
{
	if (counts && !event_is_nested_call(&event->event))
		trace_moments_put_call(state, event, TRACE_RUNTIME,
				       EVENT_AS(cuda_call, &event->event)->duration_ns);
}

static void trace_moments_take_hidden_call(void *state, const struct source_event *event,
					   bool counts)
{
	if (counts)
		trace_moments_put_call(state, event, TRACE_RUNTIME,
				       EVENT_AS(gpu_call, &event->event)->duration_ns);
}

static void trace_moments_take_io(void *state, const struct source_event *event, bool counts)
{
	unsigned int last = evt_descriptors[event->event.id].field_count - 1;

	if (counts)
		trace_moments_put_call(state, event, TRACE_IO, event->event.value[last]);
}

/* --- memory --- */

static uint64_t device_key(const struct source_process *process, uint64_t device)
{
	return (uint64_t)(process->index + 1) << 32 | (uint32_t)device;
}

static uint64_t trace_moments_value_of(const struct map *map, uint64_t key)
{
	const struct map_entry *entry = map_find(map, key);

	return entry ? entry->value : 0;
}

static void trace_moments_put_bytes(struct trace *trace, const struct source_process *process,
				    uint64_t time_ns, uint64_t tid, struct trace_text name,
				    uint64_t bytes)
{
	struct trace_file *file = trace_file_of(trace, process);

	if (file && trace->writer->counter)
		trace->writer->counter(file->state,
				       &(struct trace_event){ .category = TRACE_COUNTER,
							      .name = name,
							      .pid = trace_pid(trace, process),
							      .tid = tid,
							      .time_ns = time_ns },
				       bytes);
}

static void put_counter(struct trace *trace, const struct source_event *event, uint64_t key,
			uint64_t allocated)
{
	struct map_entry *last;
	bool added;

	last = map_put(&trace->counted, key, &added);
	if (!added && event->event.time_ns < last->value + COUNTER_EVERY_NS)
		return;
	last->value = event->event.time_ns;
	trace_moments_put_bytes(trace, event->process, event->event.time_ns, event->thread->tid,
				(uint32_t)key
					? TRACE_OWN("tensors, devices", TRACE_OWN_TENSORS_DEVICE)
					: TRACE_OWN("tensors, cpu", TRACE_OWN_TENSORS_CPU),
				allocated);
}

/* torch.profiler uses -1 as the CPU's number. */
static void put_tensor(struct trace *trace, const struct source_event *event, uint64_t growth,
		       uint64_t allocated, uint64_t reserved)
{
	const struct evt_tensor_alloc *block = EVENT_AS(tensor_alloc, &event->event);
	struct trace_list list;

	list.count = 0;
	trace_add_number(&list, TRACE_OF_RESERVED, reserved);
	trace_add_signed(&list, TRACE_OF_ALLOCATED, (int64_t)allocated);
	trace_add_signed(&list, TRACE_OF_GROWTH, (int64_t)growth);
	trace_add_number(&list, TRACE_OF_ADDRESS, block->ptr);
	trace_add_signed(&list, TRACE_OF_TENSOR_DEVICE, (int64_t)(block->device & 0xff) - 1);
	trace_add_number(&list, TRACE_OF_DEVICE_TYPE, block->device >> 8);
	trace_put_moment(trace, event->thread,
			 (struct trace_event){ .category = TRACE_TENSOR,
					       .name = TRACE_OWN("[memory]", TRACE_OWN_TENSOR),
					       .time_ns = event->event.time_ns,
					       .argument = list.argument,
					       .arguments = list.count });
}

/* device: 0 is the CPU, otherwise its type << 8 | its number + 1. */
static void trace_moments_take_tensor(void *state, const struct source_event *event, bool counts,
				      const struct work *work)
{
	struct trace *trace = state;
	const struct evt_tensor_alloc *block = EVENT_AS(tensor_alloc, &event->event);
	uint64_t growth, key;
	struct map_entry *total;
	bool added;

	if (event->event.id != EVT_tensor_alloc && event->event.id != EVT_tensor_free)
		return;
	growth = work->tensor_cpu_growth + work->tensor_device_growth;
	key = device_key(event->process, block->device);
	total = map_put(&trace->totals, key, &added);
	total->value += growth;
	if (!counts)
		return;
	put_tensor(trace, event, growth, total->value,
		   trace_moments_value_of(&trace->reserved, key));
	if ((int64_t)total->value >= 0)
		put_counter(trace, event, key, total->value);
}

static void trace_moments_take_totals(void *state, const struct source_event *event, bool counts)
{
	const struct evt_tensor_totals *totals = EVENT_AS(tensor_totals, &event->event);
	struct trace *trace = state;
	bool added;

	(void)counts;
	map_put(&trace->reserved, device_key(event->process, totals->device), &added)
		->value = totals->reserved;
}

/*
 * The collector's events belong to no thread, so the filters that can apply to them are checked
 * here.
 */
static bool trace_moments_is_wanted(const struct trace *trace, const struct source_process *process,
				    uint64_t time_ns)
{
	const struct filter_settings *asked = &trace->filters->settings;
	uint64_t rank;

	if (asked->tid != FILTER_NO_ID || asked->range || asked->windows)
		return false;
	if (asked->pid != FILTER_NO_ID && asked->pid != process->pid)
		return false;
	rank = asked->has_rank ? source_rank(trace->source, process) : 0;
	if (asked->has_rank && (rank < asked->rank_from || rank > asked->rank_to))
		return false;
	return time_ns >= asked->from_ns && time_ns < asked->to_ns;
}

/* Together with the heap's live bytes at the same moment. */
static void take_resident(void *state, const struct source_event *event, bool counts)
{
	const struct evt_process_memory *memory = EVENT_AS(process_memory, &event->event);
	const struct source_process *process = source_process_of(event->file, memory->process);
	struct trace *trace = state;

	(void)counts;
	if (!process || !trace_moments_is_wanted(trace, process, event->event.time_ns))
		return;
	trace_moments_put_bytes(trace, process, event->event.time_ns, process->pid,
				TRACE_OWN("resident memory", TRACE_OWN_RESIDENT),
				memory->resident_bytes);
	if (trace->heap->totals.allocations)
		trace_moments_put_bytes(trace, process, event->event.time_ns, process->pid,
					TRACE_OWN("heap", TRACE_OWN_HEAP),
					heap_live_bytes_of(trace->heap, process->index));
}

/* --- NVTX marks and start/end ranges --- */

static void trace_moments_take_mark(void *state, const struct source_event *event, bool counts)
{
	struct trace *trace = state;
	uint32_t name = event_name(trace->source, event, event->event.value[1]);

	if (counts)
		trace_put_moment(
			trace, event->thread,
			(struct trace_event){ .category = TRACE_ANNOTATION,
					      .name = trace_text(&trace->texts, TRACE_AS_IS, name),
					      .time_ns = event->event.time_ns });
}

/* Without these moments the GPU's lanes would look idle between windows of INTERCEPT_GPU_STEPS. */
static void trace_moments_take_window(void *state, const struct source_event *event, bool counts)
{
	bool is_on = EVENT_AS(gpu_window, &event->event)->on != 0;
	struct trace *trace = state;

	if (counts)
		trace_put_moment(trace, event->thread,
				 (struct trace_event){
					 .category = TRACE_ANNOTATION,
					 .name = is_on ? TRACE_TEXT("work of the GPU is recorded "
								    "from here")
						       : TRACE_TEXT("work of the GPU is not "
								    "recorded from here"),
					 .time_ns = event->event.time_ns });
}

static uint64_t trace_moments_range_key(const struct trace *trace,
					const struct source_process *process, uint64_t number)
{
	return map_key_of(&trace->started, process->index, number);
}

static void trace_moments_take_start(void *state, const struct source_event *event, bool counts)
{
	const struct evt_nvtx_start *begin = EVENT_AS(nvtx_start, &event->event);
	struct trace *trace = state;
	bool added;
	struct map_entry *entry = map_put(
		&trace->started, trace_moments_range_key(trace, event->process, begin->range),
		&added);

	if (added && trace->range_unused != NEST_NONE) {
		entry->value = trace->range_unused;
		trace->range_unused = trace->range[entry->value].next;
	} else if (added) {
		trace->range = memory_room(trace->range, trace->ranges, &trace->range_room,
					   sizeof(*trace->range));
		entry->value = trace->ranges++;
	}
	trace->range[entry->value] = (struct trace_range){
		.start_ns = event->event.time_ns,
		.id = ++trace->ids,
		.key = entry->key,
		.thread = event->thread->index,
		.name = event_name(trace->source, event, begin->name),
		.counts = counts,
		.is_open = true,
	};
}

/* `end_ns` 0: it has no end. */
static void put_started(struct trace *trace, const struct trace_range *range, uint64_t end_ns,
			bool is_cut)
{
	const struct source_thread *thread = trace_thread(trace, range->thread);

	if (!range->counts || !thread)
		return;
	trace_put_slice(
		trace, thread,
		(struct trace_slice){
			.event = { .category = TRACE_ANNOTATION,
				   .name = trace_text(&trace->texts, TRACE_AS_IS, range->name),
				   .time_ns = range->start_ns },
			.duration_ns = end_ns ? end_ns - range->start_ns : 0,
			.runs_on = !end_ns,
			.is_cut = is_cut,
			.id = range->id });
}

static void trace_moments_take_end(void *state, const struct source_event *event, bool counts)
{
	struct trace *trace = state;
	struct map_entry *entry = map_find(
		&trace->started, trace_moments_range_key(trace, event->process,
							 EVENT_AS(nvtx_end, &event->event)->range));
	struct trace_range *range;

	(void)counts;
	if (!entry)
		return;
	range = &trace->range[entry->value];
	put_started(trace, range, event->event.time_ns, false);
	range->counts = range->is_open = false;
	range->next = trace->range_unused;
	trace->range_unused = (uint32_t)entry->value;
	map_remove(&trace->started, entry);
}

void trace_moments_cut_process(struct trace *trace, const struct cut *cut)
{
	if (cut->reason == CUT_LIVE)
		return;
	for (size_t i = 0; i < trace->ranges && trace->started.count; i++) {
		struct trace_range *range = &trace->range[i];
		const struct source_thread *thread = trace_thread(trace, range->thread);

		if (!range->is_open || !thread || thread->process != cut->process)
			continue;
		put_started(trace, range, cut->time_ns, true);
		range->counts = range->is_open = false;
		map_remove(&trace->started, map_find(&trace->started, range->key));
		range->next = trace->range_unused;
		trace->range_unused = (uint32_t)i;
	}
}

/*
 * --- steps, if the program has no labels of its own for them ---
 *
 * A step ends where the next one begins. One ns is subtracted, because viewers add begin and
 * duration as floating-point numbers and report an error if the end is after the next begin.
 */

static void put_step(struct trace *trace, const struct step_row *row)
{
	struct source_process *const *process;
	size_t count = source_processes(trace->source, &process);
	const struct source_thread *thread;
	bool takes_all = trace->writer->takes_all_steps;
	char name[64];

	if (row->process >= count ||
	    (!takes_all && row->process < trace->process_room && trace->has_steps[row->process]))
		return;
	thread = process[row->process]->first_thread;
	while (thread && thread->tid != process[row->process]->pid && thread->next)
		thread = thread->next;
	if (!thread)
		return;
	snprintf(name, sizeof(name), TRACE_STEP_LABEL "%llu", (unsigned long long)row->number);
	trace_put_slice(trace, thread,
			(struct trace_slice){
				.event = { .category = TRACE_STEP,
					   .name = { .text = name, .length = strlen(name) },
					   .time_ns = row->start_ns },
				.duration_ns = row->total_ns - (row->total_ns > 0 && !takes_all),
				.step = row,
				.steps = trace->steps });
}

/* --- for the analysis --- */

void trace_moments_start(struct trace *trace, struct run *run)
{
	map_init(&trace->started);
	map_init(&trace->totals);
	map_init(&trace->reserved);
	map_init(&trace->counted);
	trace->range_unused = NEST_NONE;
	trace->steps = steps_want(
		run,
		&(struct steps_options){
			.name = trace->options.request->options->of_report[REPORT_OPTION_step].text,
			.wants_rows = true,
			.host_only = !trace->writer->takes_all_steps });
	trace->heap = heap_want(run, &(struct heap_options){ BY_alloc_caller, HEAP_OF_C });
	run_reads(run, EVT_tensor_totals, FIELDS_ALL, trace_moments_take_totals, trace);
	works_listen(works_want(run, WORK_BIT(tensor_cpu_growth) | WORK_BIT(tensor_device_growth)),
		     trace_moments_take_tensor, trace);
	trace->call_field = memory_zero(EVT_ID_LIMIT, sizeof(*trace->call_field));
	run_reads_calls(run, EVT_FAMILY_cuda, FIELDS_ALL, trace_moments_take_cuda, trace);
	run_reads(run, EVT_gpu_call, FIELDS_ALL, trace_moments_take_hidden_call, trace);
	run_reads_calls(run, EVT_FAMILY_io, FIELDS_ALL, trace_moments_take_io, trace);
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		if (evt_duration_field(id) < EVT_FIELDS_MAX)
			describe_fields(trace, (enum evt_id)id);
	run_reads(run, EVT_process_memory, FIELDS_ALL, take_resident, trace);
	run_reads(run, EVT_nvtx_mark, FIELD_BIT(nvtx_mark, name), trace_moments_take_mark, trace);
	run_reads(run, EVT_gpu_window, FIELD_BIT(gpu_window, on), trace_moments_take_window, trace);
	run_reads(run, EVT_nvtx_start, FIELDS_ALL, trace_moments_take_start, trace);
	run_reads(run, EVT_nvtx_end, FIELDS_ALL, trace_moments_take_end, trace);
}

/* Their lanes are empty although the GPU worked. */
static void trace_moments_put_summed(struct trace *trace)
{
	struct source_process *const *process;
	size_t count = source_processes(trace->source, &process);

	for (size_t i = 0; i < count; i++)
		if (i < trace->process_room && trace->of_process[i] && process[i]->first_thread &&
		    process[i]->limitations >> LIMITATION_gpu_summed & 1)
			trace_put_moment(
				trace, process[i]->first_thread,
				(struct trace_event){
					.category = TRACE_ANNOTATION,
					.name = TRACE_TEXT("work of the GPU is recorded as sums, "
							   "without its single pieces"),
					.time_ns = process[i]->start_ns });
}

void trace_moments_finish(struct trace *trace)
{
	trace_moments_put_summed(trace);
	for (size_t i = 0; i < trace->ranges; i++)
		put_started(trace, &trace->range[i], 0, false);
	for (size_t i = 0; i < trace->steps->row_count; i++)
		put_step(trace, &trace->steps->row[i]);
}

void trace_moments_release(struct trace *trace)
{
	map_release(&trace->started);
	map_release(&trace->totals);
	map_release(&trace->reserved);
	map_release(&trace->counted);
	free(trace->range);
	free(trace->call_field);
}
