/* SPDX-License-Identifier: MIT */
/* A thread that is skipped says for how many looks; the least of all threads is the rest. */
#include "collector/samples/rest.h"

#define REST_MAX 3u /* looks that are left out together */

uint32_t rest_length(const struct samples *samples)
{
	uint32_t least = samples->thread_count ? REST_MAX : 0;

	for (uint32_t i = 0; i < samples->thread_count; i++) {
		const struct sampled_thread *thread = &samples->thread[i];
		uint32_t skip = thread->last.looks ? thread->skip : 0;

		least = skip < least ? skip : least;
	}
	return least;
}

void rest_end(struct samples *samples)
{
	for (uint32_t i = 0; i < samples->thread_count; i++) {
		struct sampled_thread *thread = &samples->thread[i];

		thread->skip -= samples->rest;
		if (thread->last.looks)
			thread->last.looks += samples->rest;
		else
			thread->left_out += samples->rest; /* a frame was closed meanwhile */
	}
	samples->rest = 0;
}

bool rest_is_disturbed(const struct samples *samples)
{
	for (uint32_t i = 0; i < samples->processes->limit; i++) {
		const struct process *process = &samples->processes->slot[i];

		if (process->number && samples->process[i].number != process->number &&
		    view_load64(&samples->common->view.process[i].python))
			return true;
	}
	return false;
}
