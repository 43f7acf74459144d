/* SPDX-License-Identifier: MIT */
/*
 * Nothing is believed that two places of the file do not agree on: the index, or a head, says where
 * a segment ends; there the next head must be, or the end, and the digest with the number of the
 * segment and the sequence number of its last frame.
 */
#include "report/file/seek.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"
#include "collector/format/room.h"
#include "report/file/reader_state.h"

#define FAMILIES_UNKNOWN UINT64_MAX

void seek_release(struct seek *seek)
{
	free(seek->part);
	seek->part = NULL;
	seek->count = seek->room = 0;
}

static bool seek_read(struct reader *reader, uint64_t offset, void *bytes, size_t length)
{
	return bytes_read(reader->window.bytes, offset, bytes, length) == (int64_t)length;
}

static bool seek_read_head(struct reader *reader, uint64_t offset, struct segment_head *ret_head)
{
	uint8_t bytes[SEGMENT_HEAD_BYTES];

	return seek_read(reader, offset, bytes, sizeof(bytes)) &&
	       !segment_head_read(bytes, sizeof(bytes), ret_head);
}

static bool seek_add(struct seek *seek, const struct seek_part *part)
{
	struct seek_part *grown = room_for_one(seek->part, &seek->room, seek->count,
					       sizeof(*grown));

	if (!grown)
		return false;
	seek->part = grown;
	seek->part[seek->count++] = *part;
	return true;
}

/* --- the list --- */

/* Returns whether the parts follow each other, in the file and in time. */
static bool seek_is_in_order(const struct seek *seek, uint64_t first, uint64_t size)
{
	for (size_t i = 0; i < seek->count; i++) {
		const struct seek_part *part = &seek->part[i], *before = part - 1;
		const struct segment_head *head = &part->head;

		if (part->offset < first || part->end < part->offset || part->end > size ||
		    head->end_ns < head->begin_ns)
			return false;
		if (i && (part->offset < before->end || head->begin_ns != before->head.end_ns ||
			  head->number != before->head.number + 1 ||
			  head->sequence < before->head.sequence ||
			  head->frames != before->head.frames + before->head.own_frames ||
			  head->records != before->head.records + before->head.own_records))
			return false;
	}
	return true;
}

/* Returns whether the heads say what the index does. The first segment may have none. */
static bool seek_has_heads(struct reader *reader)
{
	const struct seek *seek = &reader->seeking;

	for (size_t i = 0; i < seek->count; i++) {
		struct segment_head head;
		bool is_there = seek_read_head(reader, seek->part[i].offset, &head);

		if (!is_there && !i && seek->part[0].offset == reader->facts.position)
			continue;
		if (!is_there || memcmp(&head, &seek->part[i].head, sizeof(head)) != 0)
			return false;
	}
	return true;
}

/* The end marker precedes the seek table, whose length stands at the file's end. 0: unknown. */
static uint64_t seek_find_end(struct reader *reader)
{
	uint64_t size = reader->window.bytes->size, length, offset;
	uint8_t foot[9], bytes[FILE_END_BYTES];
	struct file_end end;
	struct cursor c;

	if (size < sizeof(foot) || !seek_read(reader, size - sizeof(foot), foot, sizeof(foot)))
		return 0;
	c = cursor_of(foot, sizeof(foot));
	length = file_seek_length(get_u32(&c)) + FILE_END_BYTES;
	offset = size > length ? size - length : 0;
	if (!offset || !seek_read(reader, offset, bytes, sizeof(bytes)) ||
	    file_end_read(bytes, sizeof(bytes), &end))
		return 0;
	return offset;
}

static void seek_take_entries(struct reader *reader, uint64_t offset,
			      const struct segment_entry *entry, size_t count)
{
	bool fits = true;

	for (size_t i = 0; i < count && fits; i++) {
		struct seek_part part = { .head = entry[i].head };

		part.offset = offset - entry[i].back;
		part.end = part.offset + entry[i].head.bytes;
		fits = entry[i].back <= offset && seek_add(&reader->seeking, &part);
	}
	if (!fits)
		reader->seeking.count = 0;
}

/* Returns whether there is an index. One that is there but cannot be used is a fault. */
static bool seek_take_index(struct reader *reader)
{
	uint64_t end = seek_find_end(reader);
	struct segment_entry *entry;
	uint8_t foot[SEGMENT_INDEX_FOOT], *bytes;
	size_t length, count;
	int error = EVT_FOREIGN;

	if (end < sizeof(foot) || !seek_read(reader, end - sizeof(foot), foot, sizeof(foot)))
		return false;
	length = segment_index_find(foot);
	if (!length || length > end)
		return false;
	count = (length - segment_index_length(0)) / sizeof(*entry);
	bytes = malloc(length);
	entry = malloc(count * sizeof(*entry));
	if (bytes && entry && seek_read(reader, end - length, bytes, length))
		error = segment_index_read(bytes, length, entry, count);
	if (!error)
		seek_take_entries(reader, end - length, entry, count);
	free(bytes);
	free(entry);
	if (error == EVT_FOREIGN) /* the bytes before the end marker are something else */
		return false;
	if (!error && reader->seeking.count && seek_has_heads(reader) &&
	    seek_is_in_order(&reader->seeking, reader->facts.position, end - length))
		return true;
	reader->seeking.count = 0;
	reader_fault(reader, end - length, error ? error : EVT_CORRUPT,
		     "the index of its segments is damaged: they are found by their heads");
	return false;
}

/* Adds the families of the frame at `offset` to `families`. EVT_END: it has no records. */
static int seek_scan_frame(struct reader *reader, struct frame_decoder *decoder, uint64_t offset,
			   size_t *ret_length, uint64_t *families)
{
	struct reader_frame frame = { 0 };
	struct frame_place place;
	const uint8_t *bytes;
	size_t length;
	int error = reader_find_frame(reader, offset, &place);

	if (!error)
		error = decompressor_run(&reader->decompressor, place.bytes, place.length, &bytes,
					 &length);
	if (error)
		return error;
	*ret_length = place.length;
	if (length < sizeof(uint32_t) || memcmp(bytes, "DATA", sizeof(uint32_t)) != 0)
		return EVT_END; /* a state, or from a later version */
	error = frame_decoder_open(decoder, bytes, length, &frame);
	if (!error)
		*families |= frame_kind_families(decoder->frame_reader);
	return error;
}

static uint64_t seek_scan_with(struct reader *reader, struct frame_decoder *decoder,
			       uint64_t offset, uint64_t end)
{
	uint64_t families = 0;
	int error = EVT_OK;

	while (offset < end && (!error || error == EVT_END)) {
		uint8_t bytes[FILE_SKIPPABLE_HEAD];
		struct cursor c = cursor_of(bytes, sizeof(bytes));
		size_t length = 0; /* of what stands there */

		if (!seek_read(reader, offset, bytes, sizeof(bytes)))
			break;
		if (!magic_is_skippable(get_u32(&c)))
			error = seek_scan_frame(reader, decoder, offset, &length, &families);
		else
			length = FILE_SKIPPABLE_HEAD + (size_t)get_u32(&c);
		offset += length;
	}
	if (error == EVT_TRUNCATED && end == reader->window.bytes->size)
		error = EVT_OK; /* what the file's end cuts off is not read either */
	return !error || error == EVT_END ? families : FAMILIES_UNKNOWN;
}

/*
 * Families of frames between two offsets of the file, of which no head says it: each frame begins
 * with a list of its kinds of records.
 */
static uint64_t seek_scan(struct reader *reader, uint64_t offset, uint64_t end)
{
	struct frame_decoder decoder = { 0 };
	uint64_t families = FAMILIES_UNKNOWN;

	if (!frame_decoder_init(&decoder, &reader->schema, NULL))
		families = seek_scan_with(reader, &decoder, offset, end);
	frame_decoder_release(&decoder);
	return families;
}

/*
 * The segment before the first head begins with the first frame.
 * `offset`: of the first head that is there.
 */
static bool seek_add_first(struct reader *reader, uint64_t offset, const struct segment_head *next)
{
	struct seek_part part = { .offset = reader->facts.position, .end = offset };

	if (next->number != 2 || offset <= part.offset)
		return true;
	part.head = (struct segment_head){ .number = 1,
					   .end_ns = next->begin_ns,
					   .own_frames = next->frames,
					   .own_records = next->records,
					   .lost = next->lost_before,
					   .families = seek_scan(reader, part.offset, offset) };
	return seek_add(&reader->seeking, &part);
}

/* From head to head; the last one that is complete ends the list. */
static void seek_walk(struct reader *reader)
{
	uint64_t offset = reader->facts.position;
	struct segment_head head;
	bool fits = true;

	if (!seek_read_head(reader, offset, &head))
		offset = reader->facts.header.segment;
	if (!offset || !seek_read_head(reader, offset, &head))
		return;
	fits = seek_add_first(reader, offset, &head);
	while (fits && reader->seeking.count < SEGMENT_INDEX_MAX) {
		struct seek_part part = { .offset = offset,
					  .end = offset + head.bytes,
					  .head = head };

		/* it has not ended, or the file is a copy that was cut */
		if (!head.bytes || part.end <= offset || part.end > reader->window.bytes->size)
			break;
		fits = seek_add(&reader->seeking, &part);
		offset = part.end;
		if (!seek_read_head(reader, offset, &head))
			break;
	}
	if (!fits ||
	    !seek_is_in_order(&reader->seeking, reader->facts.position, reader->window.bytes->size))
		reader->seeking.count = 0;
}

/* What digests have is wanted of no state. */
static void seek_want(struct reader *reader)
{
	struct seek *seek = &reader->seeking;

	if (reader->wants)
		seek->wants = *reader->wants;
	for (uint32_t id = 0; id < EVT_ID_LIMIT; id++) {
		if (!reader->wants) {
			seek->wants.event[id] = true;
			seek->wants.fields[id] = UINT32_MAX;
		}
		seek->wants.event[id] &= !segment_digest_has(id);
	}
}

/* Back to the last segment that ends before the selected time and has the begin of a step. */
static void seek_mark_leads(struct seek *seek)
{
	size_t i = seek->count;
	bool has_step = false;

	while (i && seek->part[i - 1].head.end_ns >= seek->chooser.from_ns)
		i--;
	while (i && !has_step) {
		seek->part[--i].about.leads = true;
		has_step = seek->part[i].head.first_step != 0;
	}
}

/* Lists the segments, where the first of them begins. */
static void seek_start(struct reader *reader)
{
	struct seek *seek = &reader->seeking;
	uint64_t later = 0; /* families of what follows the list */

	seek->is_started = true;
	if (!seek_take_index(reader)) {
		seek_walk(reader);
		if (seek->count) /* the last segment has not ended */
			later = seek_scan(reader, seek->part[seek->count - 1].end,
					  reader->window.bytes->size);
	}
	for (size_t i = seek->count; i-- > 0;) {
		later |= seek->part[i].head.families;
		seek->part[i].about.later = later;
	}
	seek_mark_leads(seek);
	seek_want(reader);
}

/* --- the state of a segment --- */

static bool event_opens_within(const struct event *event, uint64_t from_ns, uint64_t to_ns)
{
	bool opens = evt_role_of(event->id)->opens || event->id == EVT_request_begin;

	return opens && !segment_digest_has(event->id) && event->time_ns >= from_ns &&
	       event->time_ns < to_ns;
}

static bool frame_opens_within(const struct reader_frame *frame, uint64_t from_ns, uint64_t to_ns)
{
	for (size_t i = 0; i < frame->block_count; i++) {
		const struct event_block *block = &frame->block[i];

		for (uint32_t j = 0; block->stream && j < block->count; j++)
			if (event_opens_within(&block->event[j], from_ns, to_ns))
				return true;
	}
	return false;
}

/* The digest at `offset`, if there is one: its length in the file; 0: there is none. */
static size_t seek_digest_at(struct reader *reader, uint64_t offset, uint64_t *ret_number)
{
	uint8_t bytes[SEGMENT_DIGEST_HEAD];
	size_t frame;

	if (!seek_read(reader, offset, bytes, sizeof(bytes)) ||
	    segment_digest_read(bytes, sizeof(bytes), ret_number, &frame))
		return 0;
	return SEGMENT_DIGEST_HEAD + frame;
}

/*
 * Returns whether a scope that began in that time may be open where the segment begins: as its
 * state says, true if that cannot be read.
 */
static bool seek_is_open(struct reader *reader, const struct seek_part *part, uint64_t from_ns,
			 uint64_t to_ns)
{
	uint64_t offset = part->offset + SEGMENT_HEAD_BYTES, number, records;
	struct frame_decoder decoder = { 0 };
	struct reader_frame frame = { 0 };
	struct frame_place place;
	const uint8_t *bytes;
	bool is_open = true;
	size_t length;

	offset += seek_digest_at(reader, offset, &number);
	if (reader_find_frame(reader, offset, &place) ||
	    decompressor_run(&reader->decompressor, place.bytes, place.length, &bytes, &length) ||
	    length < sizeof(uint32_t) || memcmp(bytes, "STAT", sizeof(uint32_t)) != 0)
		return true;
	if (!frame_decoder_init(&decoder, &reader->schema, NULL) &&
	    !frame_decoder_open(&decoder, bytes, length, &frame) &&
	    frame_decoder_run(&decoder, &frame, &records) == EVT_END)
		is_open = frame_opens_within(&frame, from_ns, to_ns);
	frame_decoder_release(&decoder);
	return is_open;
}

/* --- passing over --- */

static bool seek_is_wanted(struct reader *reader, const struct seek_part *part)
{
	struct seek *seek = &reader->seeking;
	const struct reader_chooser *chooser = &seek->chooser;
	enum reader_choice choice = chooser->choose(chooser->context, &part->head, &part->about);

	if (choice != READER_PASSES_IF_CLOSED || seek->is_closed)
		return choice == READER_READS;
	seek->is_closed = !seek_is_open(reader, part, chooser->from_ns, chooser->to_ns);
	return !seek->is_closed;
}

/*
 * Finds the digest of the part, behind the head of the next one or in its place. Returns its
 * length, 0 without one.
 */
static size_t seek_find_digest(struct reader *reader, const struct seek_part *part,
			       uint64_t *ret_offset)
{
	uint64_t offset = part->end, number;
	struct segment_head next;
	size_t length;

	if (seek_read_head(reader, offset, &next)) {
		if (next.number != part->head.number + 1 || next.begin_ns != part->head.end_ns)
			return 0;
		offset += SEGMENT_HEAD_BYTES;
	}
	length = seek_digest_at(reader, offset, &number);
	if (!length || number != part->head.number || length > frame_compressed_max())
		return 0;
	*ret_offset = offset;
	return length;
}

static int seek_decode_digest(struct reader *reader, const struct seek_part *part,
			      const uint8_t *bytes, size_t length, struct reader_frame *frame)
{
	const uint8_t *content;
	int error = decompressor_run(&reader->decompressor, bytes, length, &content, &length);

	if (error)
		return error;
	frame->uncompressed = length;
	error = frame_decode(reader, content, length, frame);
	if (!error && (frame->info.watermark_ns != part->head.end_ns ||
		       frame->info.sequence != part->head.sequence + part->head.own_frames ||
		       part->head.sequence < reader->facts.last_sequence))
		error = EVT_CORRUPT;
	return error;
}

/* EVT_END: there is none, or it cannot be used. */
static int seek_take_digest(struct reader *reader, const struct seek_part *part,
			    struct reader_frame *frame)
{
	uint64_t offset;
	size_t length = seek_find_digest(reader, part, &offset);
	uint8_t *bytes = length ? malloc(length) : NULL;
	int error = EVT_END;

	if (bytes && seek_read(reader, offset, bytes, length)) {
		*frame = (struct reader_frame){ .offset = offset,
						.compressed = length,
						.is_digest = true };
		error = seek_decode_digest(reader, part, bytes + SEGMENT_DIGEST_HEAD,
					   length - SEGMENT_DIGEST_HEAD, frame);
		if (error)
			reader_fault(reader, offset, error,
				     "the digest of segment %llu is damaged: the segment is read",
				     (unsigned long long)part->head.number);
		error = error ? EVT_END : EVT_OK;
	}
	free(bytes);
	return error;
}

static bool seek_is_ready(struct reader *reader)
{
	struct seek *seek = &reader->seeking;

	if (!seek->chooser.choose || !reader->schema_loaded || reader->facts.complete ||
	    reader->follows)
		return false;
	if (!seek->is_started && !reader_is_at_segment(reader))
		return false;
	if (!seek->is_started)
		seek_start(reader);
	while (seek->next < seek->count && seek->part[seek->next].offset < reader->facts.position)
		seek->next++;
	return seek->next < seek->count && seek->part[seek->next].offset == reader->facts.position;
}

int seek_pass(struct reader *reader, struct reader_frame *frame)
{
	struct seek *seek = &reader->seeking;
	struct reader_facts *facts = &reader->facts;
	const struct seek_part *part;

	if (!seek_is_ready(reader))
		return EVT_END;
	part = &seek->part[seek->next++];
	/* names that only earlier segments define come with its state */
	if (reader->enters || seek_is_wanted(reader, part))
		return EVT_END;
	if (seek_take_digest(reader, part, frame)) {
		seek->count = 0; /* all that follows is read, too */
		return EVT_END;
	}
	reader_tell_gap(reader, part->head.sequence + 1);
	facts->last_sequence = frame->info.sequence;
	facts->last_watermark_ns = frame->info.watermark_ns;
	facts->frames += part->head.own_frames;
	facts->records += part->head.own_records;
	facts->position = part->end;
	/* behind all that was wanted, nothing has to be known of what is open */
	seek->rejoins = !seek->is_closed;
	seek->has_passed = true;
	return EVT_OK;
}
