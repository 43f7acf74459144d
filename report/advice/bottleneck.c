/* SPDX-License-Identifier: MIT */
/* What report bottleneck knows of a run: see bottleneck.h. */
#include "report/advice/bottleneck.h"

#include <stdlib.h>
#include <string.h>

#include "report/core/absence.h"
#include "report/torch/rows_ops.h"
#include "report/process/rows_threads.h"

#define WORKER_NAME "pt_data_worker"

void bottleneck_options(struct model_options *options)
{
	options->wants_heap = options->wants_ranges = options->wants_cuda = true;
	options->wants_operators = options->wants_tensors = true;
	options->wants_steps = options->wants_step_rows = true;
	options->wants_evidence = true;
	options->tensors_by = TENSORS_BY_DEVICE;
}

/* The process of the first step; without steps one that told of its environment, else the first. */
static const struct source_process *find_process(const struct model *model)
{
	struct source_process *const *process;
	size_t count = source_processes(model->source, &process);
	const struct step_row *first = NULL;
	uint32_t index = model->environment.count ? model->environment.row[0].process : 0;

	for (size_t i = 0; i < model->steps.row_count; i++)
		if (!first || model->steps.row[i].start_ns < first->start_ns)
			first = &model->steps.row[i];
	if (first)
		index = first->process;
	return index < count ? process[index] : NULL;
}

static void find_phases(struct bottleneck *bottleneck)
{
	const struct steps *steps = &bottleneck->model->steps;
	const struct environment_row *told;

	if (!bottleneck->process)
		return;
	told = environment_find(&bottleneck->model->environment, bottleneck->process->index,
				"torch_version");
	if (told && told->time_ns > bottleneck->process->start_ns)
		bottleneck->imported_ns = told->time_ns;
	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_row *row = &steps->row[i];

		if (row->process != bottleneck->process->index)
			continue;
		bottleneck->steps_ns += row->total_ns;
		if (!bottleneck->first_step_ns || row->start_ns < bottleneck->first_step_ns)
			bottleneck->first_step_ns = row->start_ns;
		if (row->start_ns + row->total_ns > bottleneck->last_step_ns)
			bottleneck->last_step_ns = row->start_ns + row->total_ns;
	}
}

/* Labels are no operators. */
static void time_operators(struct bottleneck *bottleneck)
{
	const struct operators *operators = &bottleneck->model->operators;

	for (size_t i = 0; i < operators->row_count; i++)
		if (operators->row[i].scope != OPERATOR_SCOPE_USER)
			timing_merge(&bottleneck->operators, &operators->row[i].time);
}

/* Processes of which a thread has the name of a data loader's worker. */
static uint64_t count_workers(const struct model *model)
{
	struct source_thread *const *thread;
	size_t count = source_threads(model->source, &thread), length;
	uint64_t workers = 0;
	const char *name;

	for (size_t i = 0; i < count; i++) {
		if (thread[i]->tid != thread[i]->process->pid)
			continue;
		thread_name(thread[i], &name, &length);
		workers += length == strlen(WORKER_NAME) && !memcmp(name, WORKER_NAME, length);
	}
	return workers;
}

void bottleneck_look(struct bottleneck *bottleneck, struct model *model)
{
	struct group api = groups_total(&model->cuda.api),
		     launches = groups_total(&model->cuda.launches);

	*bottleneck = (struct bottleneck){
		.model = model,
		.process = find_process(model),
		.wall_ns = source_end_ns(model->source),
		.operator_calls = ops_add_up(model).calls,
		.launches = launches.time.count,
		.cuda_errors = api.errors,
		.workers = count_workers(model),
		.sampled = run_events(model->run, EVT_torch_sampling) != 0,
		.limited = absence_is_limited(model->run),
	};
	loop_look(&bottleneck->loop, &model->steps, &model->evidence);
	find_phases(bottleneck);
	time_operators(bottleneck);
	bottleneck->advice = advice_gather(bottleneck, &bottleneck->advice_count);
}

void bottleneck_release(struct bottleneck *bottleneck)
{
	timing_release(&bottleneck->operators);
	free(bottleneck->advice);
}

const struct source_name *bottleneck_fact(const struct bottleneck *bottleneck, const char *key)
{
	const struct environment_row *row = NULL;

	if (bottleneck->process)
		row = environment_find(&bottleneck->model->environment, bottleneck->process->index,
				       key);
	return row && row->value->text ? row->value : NULL;
}
