/* SPDX-License-Identifier: MIT */
/*
 * What stands on the streams, ring by ring (standing.h): kept while events are put, and written
 * into the state of a segment.
 */
#include "collector/drain/drain_standing.h"

#include <stdlib.h>

#include "collector/format/segment.h"

/* Brings what stood on the ring up to date: another stream may have it, or ends may be missing. */
static void drain_settle_standing(struct standing *standing, const struct stream *stream)
{
	if (standing->stream != stream->number) {
		standing->list.count = 0;
		*standing = (struct standing){ .list = standing->list,
					       .stream = stream->number,
					       .stops = stream->process->recording_stops,
					       .dropped = stream->dropped };
	}
	if (standing->stops != stream->process->recording_stops ||
	    standing->dropped != stream->dropped)
		standing_cut(standing);
	standing->stops = stream->process->recording_stops;
	standing->dropped = stream->dropped;
}

void drain_note_standing(struct drain *drain, const struct stream *stream, uint32_t id, uint64_t ns,
			 const uint64_t *value)
{
	const struct standing_event event = { stream->number, stream->process->number, id, ns,
					      value };
	struct standing *standing;

	if (id == EVT_tensor_alloc || id == EVT_tensor_free) {
		tensor_blocks_take(&drain->tensors, &event);
		return;
	}
	if (segment_digest_has(id))
		digest_add(&drain->common->digest, stream->number, id, ns, value);
	if (!drain->standing)
		drain->standing = calloc(drain->common->view.shape.ring_count,
					 sizeof(*drain->standing));
	if (!drain->standing)
		return;
	standing = &drain->standing[stream->index];
	drain_settle_standing(standing, stream);
	standing_take(standing, &drain->shared, &event);
	if (id == EVT_step)
		drain->steps = value[0] + 1;
	if (id != EVT_capture_stop)
		return;
	stream->process->recording_stops++;
	standing_drop_process(&drain->shared, event.process);
}

static bool drain_stands(const struct drain *drain, const struct stream *stream)
{
	return drain->standing && drain->standing[stream->index].stream == stream->number;
}

static void drain_drop_ended(struct drain *drain, const struct streams *streams)
{
	struct standing_list *shared = &drain->shared;

	for (uint32_t i = 0; i < shared->count;) {
		uint32_t process = shared->entry[i].process;
		bool lives = false;

		for (uint32_t j = 0; j < streams->active_count && !lives; j++)
			lives = streams->slot[streams->active[j]].process->number == process;
		if (lives)
			i++;
		else
			standing_drop_process(shared, process);
	}
}

/* The stream itself, else another one of the process. */
static uint32_t stream_for_block(const void *context, const struct tensor_block *block)
{
	const struct streams *streams = context;
	uint32_t other = 0;

	for (uint32_t i = 0; i < streams->active_count; i++) {
		const struct stream *stream = &streams->slot[streams->active[i]];

		if (stream->number == block->stream)
			return block->stream;
		if (!other && stream->process->number == block->process)
			other = stream->number;
	}
	return other;
}

bool drain_standing_is_whole(const struct drain *drain)
{
	uint32_t rings = drain->standing ? drain->common->view.shape.ring_count : 0;

	for (uint32_t i = 0; i < rings; i++)
		if (drain->standing[i].beyond || drain->standing[i].list.is_partial)
			return false;
	return !drain->shared.is_partial && !drain->tensors.is_partial;
}

bool drain_write_standing(struct drain *drain, const struct streams *streams)
{
	const struct tensor_blocks_place place = { stream_for_block, streams };

	struct names *names = &drain->common->names;
	static const struct standing nothing;
	bool fits;

	drain_drop_ended(drain, streams);
	frame_begin_block(drain->fw, 0);
	fits = standing_write_names(&drain->shared, names, drain->fw);
	for (uint32_t i = 0; i < streams->active_count && fits; i++) {
		const struct stream *stream = &streams->slot[streams->active[i]];

		if (!drain_stands(drain, stream))
			continue;
		drain_settle_standing(&drain->standing[stream->index], stream);
		fits = standing_write_own_names(&drain->standing[stream->index], names, drain->fw);
	}
	frame_end_block(drain->fw);
	for (uint32_t i = 0; i < streams->active_count && fits; i++) {
		const struct stream *stream = &streams->slot[streams->active[i]];

		fits = standing_write(drain_stands(drain, stream) ? &drain->standing[stream->index]
								  : &nothing,
				      &drain->shared, stream->number, drain->fw);
	}
	return fits && (tensor_blocks_write(&drain->tensors, &place, drain->fw) ||
			drain->tensors.is_partial);
}
