/* SPDX-License-Identifier: MIT */
/*
 * A segment is long against its state, so that all states together are a small part of the file. If
 * only the newest part is kept, a segment is an eighth of it, so that about as much as asked for is
 * there at each moment.
 */
#include "collector/turn/segmenting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"
#include "collector/turn/collector.h"

#define NS_PER_S 1000000000ull
#define SEGMENT_BYTES (32ull << 20)
#define SEGMENT_NS (60 * NS_PER_S)
#define STATE_SHARE 20u         /* a segment is as many times its state */
#define STATE_SHARE_KEPT 4u     /* the same if only the newest part is kept */
#define STATE_FIRST (64u << 10) /* what is assumed before there was one */
#define KEPT_PARTS 8u
/* what a recording keeps while nothing has ended a step */
#define NO_STEPS_BYTES (1ull << 30)
#define RETRY_BYTES (1u << 20)

static void segmenting_is_written(void *context, const struct journal_event *event)
{
	struct collector *c = context;
	const struct evt_descriptor *descriptor = &evt_descriptors[event->id];

	if (event->id == EVT_string) {
		digest_add_string(&c->common.digest, event->time_ns, event->value[0],
				  c->common.journal.text + event->value[1], event->value[2]);
		return;
	}
	if (segment_digest_has(event->id))
		digest_add(&c->common.digest, 0, event->id, event->time_ns, event->value);
	restate_take(&c->segmenting.restate, event);
	for (unsigned int i = 0; i < descriptor->field_count; i++)
		if (descriptor->field[i].codec == EVT_CODEC_name)
			names_use(&c->common.names, event->value[i]);
}

int segmenting_begin(struct collector *c)
{
	const struct region_header *header = c->common.view.header;
	const struct keep_last keep = { header->keep_last_ns, header->keep_last_bytes,
					header->keep_last_steps };

	c->common.journal.is_written = segmenting_is_written;
	c->common.journal.context = c;
	c->segmenting.begun_ns = c->started_ns;
	if (!keep.ns && !keep.bytes && !keep.steps)
		return EVT_OK;
	return output_keep_last(&c->output, &keep);
}

void segmenting_say(const struct collector *c)
{
	const size_t most = REGION_TEXT_BYTES / 3;
	size_t length = strlen(c->output.path);
	char text[REGION_TEXT_BYTES];

	if (!c->output.keeps_all)
		return;
	snprintf(text, sizeof(text),
		 "INTERCEPT_KEEP_LAST: the file system of '%s%.*s' cannot give back parts of a "
		 "file; %s",
		 length > most ? "..." : "", (int)most,
		 c->output.path + (length > most ? length - most : 0),
		 c->output.keep.bytes ? "the recording ends when the file has that size"
				      : "everything is kept");
	view_say(c->common.view.header, text);
}

void segmenting_release(struct segmenting *segmenting)
{
	restate_release(&segmenting->restate);
}

void segmenting_see(struct collector *c)
{
	c->segmenting.families |= frame_families(c->fw);
}

struct segment_head segmenting_end(const struct collector *c)
{
	const struct segmenting *s = &c->segmenting;
	const struct segment *open = segments_open((struct segments *)&c->output.segments);
	struct segment_head end = { .end_ns = c->watermark_ns,
				    .lost = c->lost - s->lost,
				    .families = s->families };

	end.own_frames = c->output.frames - (open ? open->head.frames : 0);
	end.own_records = c->output.records - (open ? open->head.records : 0);
	if (c->drain.steps > s->steps) {
		end.first_step = s->steps + 1;
		end.last_step = c->drain.steps;
	}
	return end;
}

static uint64_t open_offset(const struct output *output)
{
	const struct segment *open = segments_open((struct segments *)&output->segments);

	return open ? open->offset : 0;
}

/* A limit in bytes for what is on disk; 0: none. */
static uint64_t kept_bytes(const struct collector *c)
{
	const struct output *output = &c->output;

	if (output->keep.bytes)
		return output->keep.bytes;
	if (output->max_bytes)
		return output->max_bytes;
	return output->keep.steps && !c->drain.steps ? NO_STEPS_BYTES : 0;
}

/* True if the open segment is as long as one may be where only the newest part is kept. */
static bool segment_is_full_kept(const struct collector *c, uint64_t bytes, uint64_t steady_ns)
{
	const struct keep_last *keep = &c->output.keep;
	uint64_t limit = kept_bytes(c), steps = c->drain.steps - c->segmenting.steps;

	if (limit && bytes >= limit / KEPT_PARTS)
		return true;
	if (keep->ns && steady_ns - c->segmenting.begun_ns >= keep->ns / KEPT_PARTS)
		return true;
	return keep->steps && steps >= (keep->steps + KEPT_PARTS - 1) / KEPT_PARTS;
}

static bool segment_is_due(const struct collector *c, uint64_t steady_ns)
{
	const struct segmenting *s = &c->segmenting;
	uint64_t bytes = c->output.bytes - open_offset(&c->output);
	uint64_t state = s->state_bytes ? s->state_bytes : STATE_FIRST;

	if (s->tried_bytes && c->output.bytes - s->tried_bytes < RETRY_BYTES)
		return false;
	if (c->output.segments.gives_back)
		return bytes >= s->state_bytes * STATE_SHARE_KEPT &&
		       segment_is_full_kept(c, bytes, steady_ns);
	return bytes >= state * STATE_SHARE &&
	       (bytes >= SEGMENT_BYTES || steady_ns - s->begun_ns >= SEGMENT_NS);
}

/* The digest of the open segment, made in the writer of frames, in which no frame is open. */
static struct output_digest segment_make_digest(struct collector *c)
{
	struct frame_info info = { .sequence = c->sequence, .watermark_ns = c->watermark_ns };
	bool is_whole = digest_write(&c->common.digest, c->fw) &&
			drain_write_digest(&c->drain, c->watermark_ns);
	struct frame_image image;

	if (!frame_close(c->fw, info, &image) && is_whole)
		return output_make_digest(&c->output, &image);
	return (struct output_digest){ 0 };
}

struct output_digest segmenting_last_digest(struct collector *c)
{
	if (output_has_index(&c->output))
		return segment_make_digest(c);
	return (struct output_digest){ 0 };
}

/* Builds the state in the writer of frames, in which no frame is open. */
static bool segment_make_state(struct collector *c, struct frame_image *ret_image)
{
	struct frame_info info = { .sequence = c->sequence, .watermark_ns = c->watermark_ns };
	bool fits;

	c->common.names.texts.turn++;
	fits = restate_write(&c->segmenting.restate, &c->common.names, c->fw) &&
	       drain_write_standing(&c->drain, &c->streams, c->watermark_ns) &&
	       sources_restate(&c->sources, c->fw);
	frame_begin_block(c->fw, 0); /* so that there is a frame even of nothing */
	frame_end_block(c->fw);
	return !frame_close(c->fw, info, ret_image) && fits;
}

static void segment_begin(struct collector *c, uint64_t steady_ns)
{
	struct segmenting *s = &c->segmenting;
	struct segment_head end = segmenting_end(c);
	struct segment_head next = { .sequence = c->sequence,
				     .begin_ns = c->watermark_ns,
				     .frames = c->output.frames,
				     .records = c->output.records,
				     .lost_before = c->lost };
	uint64_t before = c->output.bytes;
	struct output_digest digest = segment_make_digest(c);
	struct frame_image image;
	bool begun = segment_make_state(c, &image);

	/* the next segment can only be entered with all that it needs */
	if (!drain_standing_is_whole(&c->drain) || s->restate.left_out)
		digest.length = 0;
	if (begun) {
		frame_image_set_tag(c->fw, &image, FRAME_TAG_STATE);
		begun = !output_begin_segment(&c->output, &end, &next, c->drain.steps, &digest,
					      &image);
	}
	free(digest.bytes);
	if (!begun) {
		s->tried_bytes = c->output.bytes;
		return;
	}
	digest_clear(&c->common.digest);
	drain_turn_segment(&c->drain, &c->streams);
	s->tried_bytes = 0;
	s->state_bytes = c->output.bytes - before;
	s->begun_ns = steady_ns;
	s->lost = c->lost;
	s->steps = c->drain.steps;
	s->families = 0;
}

/* Returns whether the oldest segment is beyond what is to be kept. */
static bool oldest_is_over(const struct collector *c)
{
	const struct output *output = &c->output;
	const struct segment *oldest = output->segments.segment;
	const struct keep_last *keep = &output->keep;
	uint64_t limit = kept_bytes(c);

	/* a part is reserved for what is written until the next turn */
	if (limit && output_disk_bytes(output) > limit - limit / KEPT_PARTS)
		return true;
	if (keep->ns && c->watermark_ns > keep->ns)
		return oldest->head.end_ns < c->watermark_ns - keep->ns;
	/* the last step has begun, but has not ended */
	return keep->steps && c->drain.steps > keep->steps &&
	       oldest[1].steps < c->drain.steps - keep->steps;
}

void segmenting_turn(struct collector *c, uint64_t steady_ns)
{
	if (c->output.segments.gives_back)
		c->output.disk_max = kept_bytes(c);
	if (segment_is_due(c, steady_ns))
		segment_begin(c, steady_ns);
	/* a copy of these segments may be under way */
	while (!c->keeping.is_copying && c->output.segments.gives_back &&
	       c->output.segments.count > 1 && oldest_is_over(c) && output_give_back(&c->output))
		;
}
