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

/* Connections are counted from 1, and requests on each from 0. */
static uint64_t drain_request_key(uint64_t connection, uint64_t number)
{
	return connection << 32 ^ number;
}

static void drain_note_lasting(struct drain *drain, const struct standing_event *event)
{
	const uint64_t *value = event->value;

	switch (event->id) {
	case EVT_tensor_alloc:
		lasting_begins(&drain->tensors, event, value[0]);
		break;
	case EVT_tensor_free:
		lasting_ends(&drain->tensors, event->process, value[0]);
		break;
	case EVT_request_begin:
		request_sums_take(&drain->request_sums, event);
		lasting_begins(&drain->requests, event, drain_request_key(value[0], value[1]));
		break;
	default:
		lasting_ends(&drain->requests, event->process,
			     drain_request_key(value[0], value[1]));
	}
}

void drain_note_standing(struct drain *drain, const struct stream *stream, uint32_t id, uint64_t ns,
			 const uint64_t *value)
{
	const struct standing_event event = { stream->number, stream->process->number, id, ns,
					      value };
	struct standing *standing;

	if (drain_lasts(id)) {
		drain_note_lasting(drain, &event);
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
	lasting_drop_process(&drain->requests, event.process);
}

static bool drain_stands(const struct drain *drain, const struct stream *stream)
{
	return drain->standing && drain->standing[stream->index].stream == stream->number;
}

/* Returns whether a thread of the process is recorded. */
static bool drain_process_lives(const void *context, uint32_t process)
{
	const struct streams *streams = context;
	bool lives = false;

	for (uint32_t i = 0; i < streams->active_count && !lives; i++)
		lives = streams->slot[streams->active[i]].process->number == process;
	return lives;
}

static void drain_drop_ended(struct drain *drain, const struct streams *streams)
{
	struct standing_list *shared = &drain->shared;

	for (uint32_t i = 0; i < shared->count;) {
		uint32_t process = shared->entry[i].process;

		if (drain_process_lives(streams, process))
			i++;
		else
			standing_drop_process(shared, process);
	}
}

/* The stream itself, else another one of the process. */
static uint32_t drain_stream_for(const void *context, const struct lasting_begin *begin)
{
	const struct streams *streams = context;
	uint32_t other = 0;

	for (uint32_t i = 0; i < streams->active_count; i++) {
		const struct stream *stream = &streams->slot[streams->active[i]];

		if (stream->number == begin->stream)
			return begin->stream;
		if (!other && stream->process->number == begin->process)
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
	return !drain->shared.is_partial && !drain->tensors.is_partial &&
	       !drain->requests.is_partial;
}

bool drain_write_digest(const struct drain *drain, uint64_t time_ns)
{
	return request_sums_write_segment(&drain->request_sums, time_ns, drain->fw);
}

void drain_turn_segment(struct drain *drain, const struct streams *streams)
{
	request_sums_turn(&drain->request_sums, drain_process_lives, streams);
}

/* What the state defines for its blocks of streams. */
static bool drain_write_standing_names(struct drain *drain, const struct streams *streams)
{
	struct names *names = &drain->common->names;
	bool fits;

	frame_begin_block(drain->fw, 0);
	fits = standing_write_names(&drain->shared, names, drain->fw) &&
	       lasting_write_names(&drain->requests, EVT_request_begin, names, drain->fw);
	for (uint32_t i = 0; i < streams->active_count && fits; i++) {
		const struct stream *stream = &streams->slot[streams->active[i]];

		if (!drain_stands(drain, stream))
			continue;
		drain_settle_standing(&drain->standing[stream->index], stream);
		fits = standing_write_own_names(&drain->standing[stream->index], names, drain->fw);
	}
	frame_end_block(drain->fw);
	return fits;
}

bool drain_write_standing(struct drain *drain, const struct streams *streams, uint64_t time_ns)
{
	const struct lasting_place place = { drain_stream_for, streams };
	static const struct standing nothing;
	bool fits;

	drain_drop_ended(drain, streams);
	fits = drain_write_standing_names(drain, streams) &&
	       request_sums_write_all(&drain->request_sums, time_ns, &drain->common->names,
				      drain->fw);
	for (uint32_t i = 0; i < streams->active_count && fits; i++) {
		const struct stream *stream = &streams->slot[streams->active[i]];

		fits = standing_write(drain_stands(drain, stream) ? &drain->standing[stream->index]
								  : &nothing,
				      &drain->shared, stream->number, drain->fw);
	}
	return fits && lasting_write(&drain->tensors, EVT_tensor_alloc, &place, drain->fw) &&
	       lasting_write(&drain->requests, EVT_request_begin, &place, drain->fw);
}
