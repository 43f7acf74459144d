/* SPDX-License-Identifier: MIT */
/* See spread.h. Rounds the running sum, not each part, so that the parts add up to the whole. */
#include "collector/samples/spread.h"

uint64_t spread_cpu(struct sample *sample, uint32_t count)
{
	uint64_t weight = 0, passed = 0, whole_us = 0, given_us = 0, told_us = 0;

	for (uint32_t i = 0; i < count; i++) {
		weight += sample[i].weight;
		whole_us += sample[i].cpu_us;
	}
	if (weight >= SAMPLE_WEIGHT)
		given_us = whole_us;
	else
		given_us = whole_us * weight / SAMPLE_WEIGHT;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t until_us;

		passed += sample[i].weight;
		until_us = weight ? given_us * passed / weight : 0;
		sample[i].cpu_us = (uint32_t)(until_us - told_us);
		told_us = until_us;
	}
	return whole_us - given_us;
}

struct sampled_thread *samples_thread_of_stream(struct samples *samples, uint32_t stream,
						uint32_t *next)
{
	for (uint32_t i = 0; i < samples->thread_count; i++) {
		uint32_t at = (*next + i) % samples->thread_count;

		if (samples->thread[at].stream == stream) {
			*next = at + 1;
			return &samples->thread[at];
		}
	}
	return NULL;
}

/* Of one thread, since its clock was set. What is left when it is gone has no line. */
static void spread_part(struct samples *samples, uint32_t from, uint32_t to, uint32_t *next)
{
	struct sampled_thread *thread;
	uint64_t owed_us;

	if (from == to)
		return;
	owed_us = spread_cpu(&samples->waiting[from], to - from);
	if (!owed_us)
		return;
	thread = samples_thread_of_stream(samples, samples->waiting[from].stream, next);
	if (thread)
		thread->owed_us += owed_us;
}

void spread_samples(struct samples *samples)
{
	uint32_t from = 0, next = 0;

	for (uint32_t i = 0; i < samples->waiting_count; i++) {
		const struct sample *sample = &samples->waiting[i];

		if (sample->stream == samples->waiting[from].stream && sample->looks)
			continue;
		spread_part(samples, from, i, &next);
		from = i;
	}
	spread_part(samples, from, samples->waiting_count, &next);
}
