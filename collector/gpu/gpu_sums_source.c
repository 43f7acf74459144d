/* SPDX-License-Identifier: MIT */
/* INTERCEPT_GPU=sums as a source (core/source.h): see gpu_sums.h. */
#include "collector/core/source.h"

#include "collector/gpu/gpu_sums.h"
#include "collector/processes/processes.h"

#define WORD_SUMS 2u /* FAMILY_WORD of gpu */

struct gpu_sums_source {
	struct source_context context;
	struct gpu_sums *sums;
};

static void gpu_sums_source_init(void *state, const struct source_context *context)
{
	struct gpu_sums_source *source = state;
	struct common *common = context->common;

	source->context = *context;
	if (view_family_word(&common->view, EVT_FAMILY_gpu) != WORD_SUMS)
		return;
	/* without memory, work is recorded one by one */
	source->sums = common->gpu_sums = gpu_sums_new(common);
}

static void gpu_sums_source_release(void *state)
{
	struct gpu_sums_source *source = state;

	gpu_sums_free(source->sums);
	if (source->context.common)
		source->context.common->gpu_sums = NULL;
}

static void gpu_sums_source_look(void *state, uint64_t steady_ns)
{
	(void)state;
	(void)steady_ns;
}

static void gpu_sums_process_leaves(void *state, const struct process *process, uint64_t now_ns)
{
	struct gpu_sums_source *source = state;

	(void)now_ns;
	if (source->sums)
		gpu_sums_leave(source->sums, process->number);
}

/* When all processes are gone, this is the last frame. */
static void gpu_sums_source_settle(void *state, uint64_t watermark_ns)
{
	struct gpu_sums_source *source = state;
	const struct processes *processes = source->context.processes;

	if (source->sums)
		gpu_sums_settle(source->sums, watermark_ns,
				!processes->alive && !processes->waiting);
}

const struct collector_source source_gpu_sums = {
	.state_bytes = sizeof(struct gpu_sums_source),
	.init = gpu_sums_source_init,
	.release = gpu_sums_source_release,
	.look = gpu_sums_source_look,
	.process_leaves = gpu_sums_process_leaves,
	.settle = gpu_sums_source_settle,
};
