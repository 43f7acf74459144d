/* SPDX-License-Identifier: MIT */
/* A process without steps has no object: most processes of a session are such. */
#include "collector/processes/process_steps.h"

#include <stdlib.h>

#include "collector/processes/steering.h"

static struct steering *steering_of(struct process *process, const struct view *view)
{
	uint64_t word = view_family_word(view, EVT_FAMILY_steps);

	if (process->steering || !(uint32_t)word || word & BUDGET_WORD_SHARE)
		return process->steering;
	process->steering = malloc(sizeof(*process->steering));
	if (process->steering)
		steering_init(process->steering, (uint32_t)word,
			      word & BUDGET_WORD_FIRST
				      ? 0
				      : process->start_ns + budget_word_first_ns(word));
	return process->steering;
}

void process_steps_take(struct process *process, struct common *common, uint32_t event,
			uint64_t time_ns)
{
	struct region_process *shared = &common->view.process[process->entry];
	struct steering *steering = steering_of(process, &common->view);

	process->has_steps |= event == EVT_step;
	if (!steering)
		return;
	if (event == EVT_gpu_window)
		steering_share_with_gpu(steering);
	else if (event != EVT_step)
		steering_take_edge(steering, event == EVT_detail_start);
	else
		atomic_store_explicit(&shared->detail_share, steering_take_step(steering, time_ns),
				      memory_order_relaxed);
}

void process_steps_release(struct process *process)
{
	free(process->steering);
	process->steering = NULL;
}
