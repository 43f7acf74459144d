/* SPDX-License-Identifier: MIT */
/*
 * What a run means, as far as the events that were read say: heap, ranges, operators, CUDA calls, steps,
 * and what each thread did.
 * Reads a source to its end once; the reports turn it into rows.
 */
#ifndef REPORT_CORE_MODEL_H
#define REPORT_CORE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "report/lightning/actions.h"
#include "report/torch/async_scopes.h"
#include "report/core/analysis.h"
#include "report/cuda/cuda.h"
#include "report/advice/environment.h"
#include "report/advice/evidence.h"
#include "report/heap/heap_events.h"
#include "report/base/memory.h"
#include "report/torch/operator_names.h"
#include "report/torch/operators.h"
#include "report/core/ranges.h"
#include "report/session/source.h"
#include "report/steps/step_ranges.h"
#include "report/steps/steps.h"
#include "report/tensors/tensors.h"

/* Counters of a thread or process; [1] of what counts, [0] of the rest. */
struct model_tally {
	uint64_t events; /* that count */
	uint64_t nvtx_ranges[2];
	struct range_work work[2];
};

struct model_options {
	struct filter_settings filter;
	enum heap_by heap_by;
	struct cuda_settings cuda;
	enum tensors_by tensors_by;
	bool wants_heap, wants_ranges, wants_cuda, wants_operators, wants_tensors, wants_actions;
	bool ranges_by_path, operators_by_shapes;
	bool wants_steps, wants_step_rows;
	bool wants_modules;
	bool wants_evidence; /* with steps, heap and tensors */
	/* What is not shown, so that it need not be read: what threads and ranges did beside what the
	 * report is about; memory of operators. */
	bool skips_work, skips_memory;
	const char *step_name; /* what ends steps, NULL: as recorded */
	bool shows_progress;   /* on stderr, when reading takes long */
};

struct model {
	struct model_options options;
	struct source *source;
	struct run *run;
	struct heap *heap; /* NULL unless it was wanted */
	struct ranges ranges;
	struct ranges modules; /* calls of PyTorch's modules, by their path */
	struct cuda cuda;
	struct steps steps;
	struct step_ranges step_ranges;
	struct map step_categories; /* name's index << 4 | scope, + 1, to enum step_category */
	struct environment environment;
	struct evidence evidence;
	struct map evidence_kinds; /* as step_categories, to enum evidence_kind */
	struct operators operators;
	struct async_scopes async_scopes;
	struct operator_names operator_names;
	struct tensors tensors;
	struct actions actions;
	struct model_tally *thread; /* by index */
	size_t thread_room;
	struct model_tally *process;
	size_t process_room;
};

void model_init(struct model *model, struct source *source, const struct model_options *options);
void model_release(struct model *model);

/* Reads the source to its end. */
void model_read(struct model *model);

/* Counters of a thread or process, zeros when it has none. */
struct model_tally model_tally_of_thread(const struct model *model,
					 const struct source_thread *thread);
struct model_tally model_tally_of_process(const struct model *model,
					  const struct source_process *process);

/* What the thread has done so far, whether it counts or not. */
struct range_work model_work_of_thread(struct model *model, const struct source_thread *thread);

/* Index of a name that an event gives (source_name_at()). */
uint32_t model_name(struct model *model, const struct source_event *event, uint64_t id);

static inline struct model_tally *model_thread_at(struct model *model, uint32_t index)
{
	if (index >= model->thread_room)
		model->thread = memory_room(model->thread, index, &model->thread_room,
					    sizeof(*model->thread));
	return &model->thread[index];
}

static inline struct model_tally *model_process_at(struct model *model, uint32_t index)
{
	if (index >= model->process_room)
		model->process = memory_room(model->process, index, &model->process_room,
					     sizeof(*model->process));
	return &model->process[index];
}

#endif
