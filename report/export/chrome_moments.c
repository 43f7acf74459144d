/* SPDX-License-Identifier: MIT */
/*
 * What does not nest, as events of a trace: calls of CUDA and of input and output, which are told at their end; memory of
 * tensors; resident memory; NVTX marks and ranges of a process; steps. See chrome.h.
 */
#include "report/export/chrome.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/base/memory.h"
#include "report/core/keys.h"

#define COUNTER_EVERY_NS 1000000u /* of a counter that changes all the time */
#define CORRELATION "correlation" /* a field of calls, and an argument */
#define CALL_FUNCTION 0u          /* the first field of all calls */

struct chrome_range {
	uint64_t start_ns, id, key;
	uint32_t thread, name, next; /* next: of an unused one */
	bool counts, is_open;
};

/* --- calls --- */

/* cuMemAlloc, not cudaMalloc */
static bool is_of_driver(struct trace_text name)
{
	return name.length > 2 && !memcmp(name.text, "cu", 2) && name.text[2] >= 'A' &&
	       name.text[2] <= 'Z';
}

/* CUPTI's number of the call; of another one a number that CUPTI's, of 32 bits, cannot be. */
static uint64_t correlation_of(struct chrome *chrome, const struct event *event)
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
	return correlation ? correlation : UINT32_MAX + ++chrome->ids;
}

/* What is not known of a call that did not return, and what one without a descriptor lacks. */
static bool field_is_known(const struct event *event)
{
	if (event->id == EVT_io_unfinished)
		return EVENT_AS(io_unfinished, event)->fd >= 0;
	return event->id != EVT_cuda_unfinished;
}

/* All fields but the number of the call, the name of the function and the time in it, which the event has. */
static void put_fields(const struct chrome *chrome, struct trace_file *file,
		       const struct source_event *event)
{
	const struct evt_descriptor *known = &evt_descriptors[event->event.id];

	for (unsigned int i = CALL_FUNCTION + 1; i < known->field_count; i++) {
		uint64_t value = event->event.value[i];
		const char *name = known->field[i].name;
		struct trace_text text;

		if (known->field[i].is_span || !strcmp(name, CORRELATION) ||
		    !field_is_known(&event->event))
			continue;
		if (!strcmp(name, "stream")) /* HTA takes what has it for work of a GPU */
			name = "stream handle";
		if (known->field[i].codec == EVT_CODEC_name) {
			text.text = name_text(source_name_of(chrome->source, event->file, value),
					      &text.length);
			trace_argument_text(file, name, text);
		} else if (known->field[i].codec == EVT_CODEC_sint ||
			   known->field[i].codec == EVT_CODEC_delta) {
			trace_argument_signed(file, name, (int64_t)value);
		} else {
			trace_argument_number(file, name, value);
		}
	}
}

static void put_call(struct chrome *chrome, const struct source_event *event, const char *category,
		     uint64_t duration_ns)
{
	uint32_t name = event_name(chrome->source, event, event->event.value[CALL_FUNCTION]);
	uint64_t end_ns = event->event.time_ns;
	struct chrome_place place = { .phase = 'X', .name = chrome_json(chrome, name) };
	struct trace_text plain;
	struct trace_file *file;
	uint64_t external;

	plain.text = name_text(source_name_at(chrome->source, name), &plain.length);
	place.category = category ? category : is_of_driver(plain) ? "cuda_driver" : "cuda_runtime";
	place.duration_ns = duration_ns < end_ns ? duration_ns : end_ns;
	place.is_cut = event->event.id == EVT_io_unfinished ||
		       event->event.id == EVT_cuda_unfinished;
	place.time_ns = end_ns - place.duration_ns;
	file = chrome_begin(chrome, event->thread, &place);
	if (!file)
		return;
	if (!category) {
		external = chrome_operator_id(chrome, event->thread->index);
		if (external)
			trace_argument_number(file, "External id", external);
		trace_argument_number(file, CORRELATION, correlation_of(chrome, &event->event));
	}
	put_fields(chrome, file, event);
	trace_end(file);
}

static void take_cuda(void *state, const struct source_event *event, bool counts)
{
	if (counts && !event_is_nested_call(&event->event))
		put_call(state, event, NULL, EVENT_AS(cuda_call, &event->event)->duration_ns);
}

static void take_hidden_call(void *state, const struct source_event *event, bool counts)
{
	if (counts)
		put_call(state, event, NULL, EVENT_AS(gpu_call, &event->event)->duration_ns);
}

static void take_io(void *state, const struct source_event *event, bool counts)
{
	unsigned int last = evt_descriptors[event->event.id].field_count - 1;

	if (counts)
		put_call(state, event, "io", event->event.value[last]);
}

/* --- memory --- */

static uint64_t device_key(const struct source_process *process, uint64_t device)
{
	return (uint64_t)(process->index + 1) << 32 | (uint32_t)device;
}

static uint64_t value_of(const struct map *map, uint64_t key)
{
	const struct map_entry *entry = map_find(map, key);

	return entry ? entry->value : 0;
}

static void put_counter(struct chrome *chrome, const struct source_event *event, uint64_t key,
			uint64_t allocated)
{
	struct map_entry *last;
	struct trace_file *file;
	bool added;

	last = map_put(&chrome->counted, key, &added);
	if (!added && event->event.time_ns < last->value + COUNTER_EVERY_NS)
		return;
	last->value = event->event.time_ns;
	file = chrome_begin(
		chrome, event->thread,
		&(struct chrome_place){ .phase = 'C',
					.category = "memory",
					.name = (uint32_t)key ? TRACE_TEXT("\"tensors, devices\"")
							      : TRACE_TEXT("\"tensors, cpu\""),
					.time_ns = event->event.time_ns });
	if (!file)
		return;
	trace_argument_number(file, "bytes", allocated);
	trace_end(file);
}

/* device: 0 the CPU, else its type << 8 | its number + 1; torch.profiler has -1 for the CPU's number. */
static void take_tensor(void *state, const struct source_event *event, bool counts,
			const struct work *work)
{
	struct chrome *chrome = state;
	const struct evt_tensor_alloc *block = EVENT_AS(tensor_alloc, &event->event);
	uint64_t growth, key;
	struct map_entry *total;
	struct trace_file *file;
	bool added;

	if (event->event.id != EVT_tensor_alloc && event->event.id != EVT_tensor_free)
		return;
	growth = work->tensor_cpu_growth + work->tensor_device_growth;
	key = device_key(event->process, block->device);
	total = map_put(&chrome->totals, key, &added);
	total->value += growth;
	if (!counts)
		return;
	file = chrome_begin(chrome, event->thread,
			    &(struct chrome_place){ .phase = 'i',
						    .category = "cpu_instant_event",
						    .name = TRACE_TEXT("\"[memory]\""),
						    .time_ns = event->event.time_ns });
	if (!file)
		return;
	trace_argument_number(file, "Total Reserved", value_of(&chrome->reserved, key));
	trace_argument_signed(file, "Total Allocated", (int64_t)total->value);
	trace_argument_signed(file, "Bytes", (int64_t)growth);
	trace_argument_number(file, "Addr", block->ptr);
	trace_argument_signed(file, "Device Id", (int64_t)(block->device & 0xff) - 1);
	trace_argument_number(file, "Device Type", block->device >> 8);
	trace_end(file);
	if ((int64_t)total->value >= 0)
		put_counter(chrome, event, key, total->value);
}

static void take_totals(void *state, const struct source_event *event, bool counts)
{
	const struct evt_tensor_totals *totals = EVENT_AS(tensor_totals, &event->event);
	struct chrome *chrome = state;
	bool added;

	(void)counts;
	map_put(&chrome->reserved, device_key(event->process, totals->device), &added)
		->value = totals->reserved;
}

/* What the collector writes down is of no thread: the filters that can hold for it are asked here. */
static bool is_wanted(const struct chrome *chrome, const struct source_process *process,
		      uint64_t time_ns)
{
	const struct filter_settings *asked = &chrome->filters->settings;
	uint64_t rank;

	if (asked->tid != FILTER_NO_ID || asked->range || asked->windows)
		return false;
	if (asked->pid != FILTER_NO_ID && asked->pid != process->pid)
		return false;
	rank = asked->has_rank ? source_rank(chrome->source, process) : 0;
	if (asked->has_rank && (rank < asked->rank_from || rank > asked->rank_to))
		return false;
	return time_ns >= asked->from_ns && time_ns < asked->to_ns;
}

static void put_bytes(struct chrome *chrome, const struct source_process *process, uint64_t time_ns,
		      struct trace_text name, uint64_t bytes)
{
	struct trace_file *file = chrome_file(chrome, process);

	if (!file)
		return;
	trace_begin(file, &(struct trace_event){ .phase = 'C',
						 .category = "memory",
						 .name = name,
						 .pid = chrome_pid(chrome, process),
						 .tid = process->pid,
						 .time_ns = time_ns });
	trace_argument_number(file, "bytes", bytes);
	trace_end(file);
}

/* The heap beside it: its live bytes at the same moment. */
static void take_resident(void *state, const struct source_event *event, bool counts)
{
	const struct evt_process_memory *memory = EVENT_AS(process_memory, &event->event);
	const struct source_process *process = source_process_of(event->file, memory->process);
	struct chrome *chrome = state;

	(void)counts;
	if (!process || !is_wanted(chrome, process, event->event.time_ns))
		return;
	put_bytes(chrome, process, event->event.time_ns, TRACE_TEXT("\"resident memory\""),
		  memory->resident_bytes);
	if (chrome->heap->totals.allocations)
		put_bytes(chrome, process, event->event.time_ns, TRACE_TEXT("\"heap\""),
			  heap_live_bytes_of(chrome->heap, process->index));
}

/* --- NVTX beside its nesting ranges --- */

static void take_mark(void *state, const struct source_event *event, bool counts)
{
	struct chrome *chrome = state;
	struct chrome_place place = { .phase = 'i',
				      .category = "user_annotation",
				      .time_ns = event->event.time_ns };
	struct trace_file *file;

	if (!counts)
		return;
	place.name = chrome_json(chrome, event_name(chrome->source, event, event->event.value[1]));
	file = chrome_begin(chrome, event->thread, &place);
	if (file)
		trace_end(file);
}

static uint64_t range_key(const struct source_process *process, uint64_t number)
{
	return (uint64_t)(process->index + 1) << 40 ^ number;
}

static void take_start(void *state, const struct source_event *event, bool counts)
{
	const struct evt_nvtx_start *begin = EVENT_AS(nvtx_start, &event->event);
	struct chrome *chrome = state;
	bool added;
	struct map_entry *entry = map_put(&chrome->started, range_key(event->process, begin->range),
					  &added);

	if (added && chrome->range_unused != NEST_NONE) {
		entry->value = chrome->range_unused;
		chrome->range_unused = chrome->range[entry->value].next;
	} else if (added) {
		chrome->range = memory_room(chrome->range, chrome->ranges, &chrome->range_room,
					    sizeof(*chrome->range));
		entry->value = chrome->ranges++;
	}
	chrome->range[entry->value] = (struct chrome_range){
		.start_ns = event->event.time_ns,
		.id = ++chrome->ids,
		.key = entry->key,
		.thread = event->thread->index,
		.name = event_name(chrome->source, event, begin->name),
		.counts = counts,
		.is_open = true,
	};
}

/* Both ends at once: the viewers put them into order. `end_ns` 0: it has none. */
static void put_started(struct chrome *chrome, const struct chrome_range *range, uint64_t end_ns,
			bool is_cut)
{
	const struct source_thread *thread = chrome_thread(chrome, range->thread);
	struct chrome_place place = { .phase = 'b',
				      .category = "user_annotation",
				      .time_ns = range->start_ns,
				      .id = range->id };

	if (!range->counts || !thread)
		return;
	place.name = chrome_json(chrome, range->name);
	for (unsigned int end = 0; end < (end_ns ? 2u : 1u); end++) {
		struct trace_file *file;

		place.is_cut = is_cut && !end;
		file = chrome_begin(chrome, thread, &place);
		if (!file)
			return;
		trace_end(file);
		file->events -= end;
		place.phase = 'e';
		place.time_ns = end_ns;
	}
}

static void take_end(void *state, const struct source_event *event, bool counts)
{
	struct chrome *chrome = state;
	struct map_entry *entry = map_find(
		&chrome->started,
		range_key(event->process, EVENT_AS(nvtx_end, &event->event)->range));
	struct chrome_range *range;

	(void)counts;
	if (!entry)
		return;
	range = &chrome->range[entry->value];
	put_started(chrome, range, event->event.time_ns, false);
	range->counts = range->is_open = false;
	range->next = chrome->range_unused;
	chrome->range_unused = (uint32_t)entry->value;
	map_remove(&chrome->started, entry);
}

/* JSON shows it to the end and says so; other formats have ranges without an end, as JSON of a process that runs on. */
void chrome_moments_cut_process(struct chrome *chrome, const struct cut *cut)
{
	if (cut->reason == CUT_LIVE)
		return;
	for (size_t i = 0; i < chrome->ranges && chrome->started.count; i++) {
		struct chrome_range *range = &chrome->range[i];
		const struct source_thread *thread = chrome_thread(chrome, range->thread);

		if (!range->is_open || !thread || thread->process != cut->process)
			continue;
		put_started(chrome, range, chrome->writer ? 0 : cut->time_ns, true);
		range->counts = range->is_open = false;
		map_remove(&chrome->started, map_find(&chrome->started, range->key));
		range->next = chrome->range_unused;
		chrome->range_unused = (uint32_t)i;
	}
}

/*
 * --- steps, where the program has no labels of its own for them ---
 *
 * A step ends where the next one begins. One ns less, since viewers add begin and duration as floating point numbers and
 * take an end behind the next begin for an error.
 */

static bool takes_all_steps(const struct chrome *chrome)
{
	return chrome->writer && chrome->writer->splits;
}

/* Only for who takes every step: other traces do not ask what the GPU did, so that their categories would be wrong. */
static void put_step_times(const struct chrome *chrome, struct trace_file *file,
			   const struct step_row *row)
{
	bool has_gpu = chrome->steps->has_gpu;
	char name[64];

	if (has_gpu)
		trace_argument_number(file, "GPU busy", row->gpu_ns);
	for (int i = has_gpu ? 0 : STEP_FIRST_OF_HOST; i < STEP_CATEGORY_LIMIT; i++)
		trace_argument_number(file, step_category_names[i], row->ns[i]);
	for (int i = 0; i < STEP_PHASE_LIMIT; i++) {
		snprintf(name, sizeof(name), "%s phase", step_phase_names[i]);
		trace_argument_number(file, name, row->phases.ns[i]);
	}
}

static void put_step(struct chrome *chrome, const struct step_row *row)
{
	struct source_process *const *process;
	size_t count = source_processes(chrome->source, &process);
	const struct source_thread *thread;
	bool takes_all = takes_all_steps(chrome);
	struct trace_file *file;
	char name[64];

	if (row->process >= count ||
	    (!takes_all && row->process < chrome->process_room && chrome->has_steps[row->process]))
		return;
	thread = process[row->process]->first_thread;
	while (thread && thread->tid != process[row->process]->pid && thread->next)
		thread = thread->next;
	if (!thread)
		return;
	snprintf(name, sizeof(name), "\"ProfilerStep#%llu\"", (unsigned long long)row->number);
	file = chrome_begin(
		chrome, thread,
		&(struct chrome_place){ .phase = 'X',
					.category = "user_annotation",
					.name = { name, strlen(name) },
					.time_ns = row->start_ns,
					.duration_ns = row->total_ns -
						       (row->total_ns > 0 && !takes_all),
					.id = row->number,
					.is_counted = true });
	if (!file)
		return;
	if (takes_all)
		put_step_times(chrome, file, row);
	trace_end(file);
}

/* --- for the analysis --- */

void chrome_moments_start(struct chrome *chrome, struct run *run)
{
	static const enum evt_id calls[] = { EVT_cuda_call,  EVT_cuda_launch, EVT_cuda_copy,
					     EVT_cuda_alloc, EVT_cuda_free,   EVT_cuda_unfinished };

	map_init(&chrome->started);
	map_init(&chrome->totals);
	map_init(&chrome->reserved);
	map_init(&chrome->counted);
	chrome->range_unused = NEST_NONE;
	chrome->steps = steps_want(
		run, &(struct steps_options){
			     .name = chrome->request->options->of_report[REPORT_OPTION_step].text,
			     .wants_rows = true,
			     .host_only = !takes_all_steps(chrome) });
	chrome->heap = heap_want(run, &(struct heap_options){ BY_alloc_caller, HEAP_OF_C });
	run_reads(run, EVT_tensor_totals, FIELDS_ALL, take_totals, chrome);
	works_listen(works_want(run, WORK_BIT(tensor_cpu_growth) | WORK_BIT(tensor_device_growth)),
		     take_tensor, chrome);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		run_reads(run, calls[i], FIELDS_ALL, take_cuda, chrome);
	run_reads(run, EVT_gpu_call, FIELDS_ALL, take_hidden_call, chrome);
	for (unsigned int id = EVT_io_open; id <= EVT_io_wait; id++)
		if (id != EVT_io_fd)
			run_reads(run, (enum evt_id)id, FIELDS_ALL, take_io, chrome);
	run_reads(run, EVT_io_unfinished, FIELDS_ALL, take_io, chrome);
	run_reads(run, EVT_process_memory, FIELDS_ALL, take_resident, chrome);
	run_reads(run, EVT_nvtx_mark, FIELD_BIT(nvtx_mark, name), take_mark, chrome);
	run_reads(run, EVT_nvtx_start, FIELDS_ALL, take_start, chrome);
	run_reads(run, EVT_nvtx_end, FIELDS_ALL, take_end, chrome);
}

void chrome_moments_finish(struct chrome *chrome)
{
	for (size_t i = 0; i < chrome->ranges; i++)
		put_started(chrome, &chrome->range[i], 0, false);
	for (size_t i = 0; i < chrome->steps->row_count; i++)
		put_step(chrome, &chrome->steps->row[i]);
}

void chrome_moments_release(struct chrome *chrome)
{
	map_release(&chrome->started);
	map_release(&chrome->totals);
	map_release(&chrome->reserved);
	map_release(&chrome->counted);
	free(chrome->range);
}
