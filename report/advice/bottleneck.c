/* SPDX-License-Identifier: MIT */
/* Collects what report bottleneck knows about a run and runs the rules on it. */
#include "report/advice/bottleneck.h"
#include "report/advice/request_lines.h"

#include <stdlib.h>
#include <string.h>

#include "report/core/why_empty.h"
#include "report/advice/evidence_events.h"
#include "report/advice/os_waits.h"
#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/cuda/cuda_events.h"
#include "report/heap/growth.h"
#include "report/heap/heap_events.h"
#include "report/heap/resident.h"
#include "report/nvtx/range_events.h"
#include "report/steps/step_events.h"
#include "report/tensors/fragments.h"
#include "report/tensors/tensor_events.h"
#include "report/torch/operator_events.h"
#include "report/torch/rows_ops.h"

#define WORKER_NAME "pt_data_worker"

void bottleneck_want(struct bottleneck *bottleneck, struct run *run)
{
	*bottleneck = (struct bottleneck){
		.run = run,
		.source = run_source(run),
		.heap = heap_want(run, &(struct heap_options){ .by = BY_alloc_stack }),
		.heap_growth = growth_want(run, &(struct growth_options){ HEAP_OF_C }),
		.tensor_growth = growth_want(run, &(struct growth_options){ HEAP_OF_TENSORS }),
		.object_growth = growth_want(run, &(struct growth_options){ HEAP_OF_PYTHON }),
		.arena_growth = growth_want(run, &(struct growth_options){ HEAP_OF_ARENAS }),
		.resident = resident_want(
			run, &(struct resident_options){ { BY_alloc_stack, HEAP_OF_C } }),
		.ranges = ranges_want(run, NULL),
		.cuda = cuda_want(run, &(struct cuda_options){ CUDA_BY_FIRST }),
		.operators = operators_want_rows(run, NULL, OPERATORS_ALL),
		.tensors = tensors_want(run, &(struct tensors_options){ .by = BY_tensors_device }),
		.fragments = fragments_want(run, NULL),
		.steps = steps_want(run, &(struct steps_options){ .wants_rows = true }),
		.evidence = evidence_want(run, NULL),
		.gpu = gpu_evidence_want(run, NULL),
		.gpu_time = gpu_time_want(run, NULL),
		.devices = device_states_want(run, NULL),
		.device_numbers = device_numbers_want(run, NULL),
		.unreported = unreported_want(run, NULL),
		.gc_pauses = gc_pauses_want(run, NULL),
		.lines = step_lines_want(run, NULL),
		.waits = wait_looks_want(run, NULL),
		.os_waits = os_waits_want(run, NULL),
		.request_lines = request_lines_want(run, NULL),
		.native = native_events_want(
			run, &(struct native_events_options){ .by = BY_native_stack }),
		.environment = run_facts_want(run, NULL),
		.imports = import_evidence_want(run, NULL),
		.functions = functions_want(
			run, &(struct functions_options){ .by = BY_functions_function }),
		.collectives = collectives_want(run, &(struct collectives_options){ 0 }),
		.io_by_file = io_want(run, &(struct io_options){ BY_io_file }),
		.io_by_process = io_want(run, &(struct io_options){ BY_io_process }),
		.io_by_operator = io_want(run, &(struct io_options){ BY_io_op }),
		.io_by_function = io_want(run, &(struct io_options){ BY_io_function }),
	};
}

/*
 * Returns the process of the first step; without steps one that reported its environment, else the
 * first.
 */
static const struct source_process *find_process(const struct bottleneck *bottleneck)
{
	struct source_process *const *process;
	size_t count = source_processes(bottleneck->source, &process);
	const struct step_row *first = NULL;
	uint32_t index = bottleneck->environment->count ? bottleneck->environment->row[0].process
							: 0;

	for (size_t i = 0; i < bottleneck->steps->row_count; i++)
		if (!first || bottleneck->steps->row[i].start_ns < first->start_ns)
			first = &bottleneck->steps->row[i];
	if (first)
		index = first->process;
	return index < count ? process[index] : NULL;
}

static void find_phases(struct bottleneck *bottleneck)
{
	const struct steps *steps = bottleneck->steps;
	const struct run_facts_row *told;

	if (!bottleneck->process)
		return;
	told = run_facts_find(bottleneck->environment, bottleneck->process->index, "torch_version");
	if (told && told->time_ns > bottleneck->process->start_ns)
		bottleneck->imported_ns = told->time_ns;
	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_row *row = &steps->row[i];

		if (row->process != bottleneck->process->index)
			continue;
		bottleneck->steps_ns += row->total_ns;
		if (!bottleneck->first_step_ns || row->start_ns < bottleneck->first_step_ns)
			bottleneck->first_step_ns = row->start_ns;
		if (!bottleneck->loop.is_warm[i] &&
		    (!bottleneck->settled_ns || row->start_ns < bottleneck->settled_ns))
			bottleneck->settled_ns = row->start_ns;
		if (row->start_ns + row->total_ns > bottleneck->last_step_ns)
			bottleneck->last_step_ns = row->start_ns + row->total_ns;
	}
}

/* Labels do not count as operators. */
static void time_operators(struct bottleneck *bottleneck)
{
	const struct operators *operators = bottleneck->operators;

	for (size_t i = 0; i < operators->row_count; i++)
		if (operators->row[i].scope != EVT_SCOPE_USER)
			timing_merge(&bottleneck->operator_times, &operators->row[i].time);
}

const struct source_name *bottleneck_command(const struct bottleneck *bottleneck)
{
	struct source_process *const *process;

	return source_processes(bottleneck->source, &process) ? process[0]->command : NULL;
}

bool bottleneck_is_python(const struct bottleneck *bottleneck)
{
	struct source_process *const *process;
	size_t count = source_processes(bottleneck->source, &process);

	if (bottleneck->environment->count || bottleneck->lines->samples->all.looks)
		return true;
	for (size_t i = 0; i < count; i++) {
		const struct source_name *path = process[i]->executable;
		const char *slash = path && path->text ? strrchr(path->text, '/') : NULL;

		if (path && path->text &&
		    !strncmp(slash ? slash + 1 : path->text, "python", strlen("python")))
			return true;
	}
	return false;
}

bool bottleneck_is_worker(const struct source_process *process)
{
	const struct source_thread *thread = process->first_thread;
	size_t length;
	const char *name;

	while (thread && thread->tid != process->pid)
		thread = thread->next;
	if (!thread)
		return false;
	thread_name(thread, &name, &length);
	return text_is(name, length, WORKER_NAME);
}

static uint64_t count_workers(const struct bottleneck *bottleneck)
{
	struct source_process *const *process;
	size_t count = source_processes(bottleneck->source, &process);
	uint64_t workers = 0;

	for (size_t i = 0; i < count; i++)
		workers += bottleneck_is_worker(process[i]);
	return workers;
}

/* A DataLoader with workers has an iterator class of its own, whose name is in its label. */
static bool has_loader_of_workers(const struct bottleneck *bottleneck)
{
	static const char label[] = "enumerate(DataLoader)#_MultiProcessing";
	size_t length;

	for (size_t i = 0; i < bottleneck->operators->row_count; i++) {
		const struct operator_row *row = &bottleneck->operators->row[i];
		const char *name = name_text(source_name_at(bottleneck->source, row->name),
					     &length);

		if (row->calls && text_begins(name, length, label))
			return true;
	}
	return false;
}

void bottleneck_look(struct bottleneck *bottleneck)
{
	struct group api = groups_total(&bottleneck->cuda->api),
		     launches = groups_total(&bottleneck->cuda->launches);

	bottleneck->process = find_process(bottleneck);
	bottleneck->wall_ns = source_end_ns(bottleneck->source);
	bottleneck->operator_calls = ops_add_up(bottleneck->operators, bottleneck->source).calls;
	bottleneck->launches = launches.time.count;
	bottleneck->cuda_errors = api.errors;
	bottleneck->workers = count_workers(bottleneck);
	bottleneck->has_workers = bottleneck->workers || has_loader_of_workers(bottleneck);
	bottleneck->sampled = run_events(bottleneck->run, EVT_torch_sampling) != 0;
	bottleneck->limited = why_empty_is_limited(bottleneck->run);
	steady_loop_look(&bottleneck->loop, bottleneck->steps, bottleneck->evidence);
	worker_restarts_look(&bottleneck->restarts, bottleneck);
	find_phases(bottleneck);
	time_operators(bottleneck);
	worker_waits_look(bottleneck, &bottleneck->worker_waits);
	serving_look(&bottleneck->serving, bottleneck);
	bottleneck->wait_causes = memory_zero(1, sizeof(*bottleneck->wait_causes));
	wait_causes_look(bottleneck->wait_causes, bottleneck);
	bottleneck->advice = advice_gather(bottleneck, &bottleneck->advice_count);
}

void bottleneck_release(struct bottleneck *bottleneck)
{
	steady_loop_release(&bottleneck->loop);
	if (bottleneck->wait_causes)
		wait_causes_release(bottleneck->wait_causes);
	free(bottleneck->wait_causes);
	serving_release(&bottleneck->serving);
	timing_release(&bottleneck->operator_times);
	free(bottleneck->advice);
}

const struct source_name *bottleneck_fact(const struct bottleneck *bottleneck, const char *key)
{
	const struct run_facts_row *row = NULL;

	if (bottleneck->process)
		row = run_facts_find(bottleneck->environment, bottleneck->process->index, key);
	return row && row->value->text ? row->value : NULL;
}
