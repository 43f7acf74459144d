/* SPDX-License-Identifier: MIT */
/*
 * Samples as events: those of a frame, and the last one of each thread in the state of a segment.
 */
#include <stdlib.h>

#include "collector/format/block.h"
#include "collector/format/events.h"
#include "collector/samples/samples.h"
#include "collector/samples/spread.h"

static int written_by_stream(const void *one, const void *other)
{
	const struct sample *a = one, *b = other;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static int written_put(struct frame_writer *fw, const struct sample *sample)
{
	return FRAME_PUT(
		fw, sample->time_ns, python_sample, .place = sample->place, .state = sample->state,
		.cpu_us = sample->cpu_us, .ready_us = sample->ready_us, .looks = sample->looks,
		.holder = sample->holder, .holder_place = sample->holder_place,
		.call = sample->call, .owner = sample->owner, .owner_place = sample->owner_place,
		.unclear = sample->is_unclear, .calls = sample->calls);
}

/* CPU time belongs to the next sample that found the thread running: reports carry it till then. */
static void written_tell(struct samples *samples, const struct sample *sample, uint32_t *next)
{
	struct sampled_thread *thread = samples_thread_of_stream(samples, sample->stream, next);
	uint64_t carried_us;

	if (!thread)
		return;
	carried_us = sample->looks ? (uint64_t)thread->told.cpu_us + sample->cpu_us : 0;
	if (sample->state == EVT_PYTHON_RUNS || sample->state == EVT_PYTHON_TORN)
		carried_us = 0;
	thread->told = *sample;
	thread->told.cpu_us = carried_us < UINT32_MAX ? (uint32_t)carried_us : UINT32_MAX;
	thread->told.ready_us = 0;
}

bool samples_write_told(const struct samples *samples, struct frame_writer *fw)
{
	bool fits = true;

	for (uint32_t i = 0; i < samples->thread_count && fits; i++) {
		const struct sample *told = &samples->thread[i].told;

		if (!told->time_ns)
			continue;
		frame_begin_block(fw, told->stream);
		fits = frame_block_room(fw) && !written_put(fw, told);
		frame_end_block(fw);
	}
	return fits;
}

uint32_t samples_write(struct samples *samples, struct frame_writer *fw)
{
	uint32_t stream = 0, written = 0, next = 0;

	if (!samples->waiting_count)
		return 0;
	qsort(samples->waiting, samples->waiting_count, sizeof(*samples->waiting),
	      written_by_stream);
	spread_samples(samples);
	for (uint32_t i = 0; i < samples->waiting_count; i++) {
		const struct sample *sample = &samples->waiting[i];

		if (sample->stream != stream || !frame_block_room(fw)) {
			if (stream)
				frame_end_block(fw);
			stream = sample->stream;
			frame_begin_block(fw, stream);
		}
		if (!frame_block_room(fw) || written_put(fw, sample))
			break;
		written_tell(samples, sample, &next);
		written++;
	}
	frame_end_block(fw);
	samples->waiting_count = 0;
	return written;
}
