/* SPDX-License-Identifier: MIT */
/*
 * Segments, as the reader meets them: heads, and frames that stand for what was given back. The
 * first head that is still there says where the recording begins now.
 */
#include "collector/format/segment.h"

#include "collector/format/error.h"
#include "report/file/reader_state.h"

/* Frames over 4 GiB each, in a file that has given back as much as a file can have. */
#define GONE_MAX (1u << 22)

static bool gone_is_at(struct reader *reader, uint64_t offset)
{
	size_t available;
	const uint8_t *bytes = window_at(&reader->window, offset, SEGMENT_GONE_BYTES, &available);
	struct segment_gone gone;

	return !segment_gone_read(bytes, bytes ? available : 0, &gone);
}

static int head_read(struct reader *reader, uint64_t offset, struct segment_head *ret_head)
{
	size_t available;
	const uint8_t *bytes = window_at(&reader->window, offset, SEGMENT_HEAD_BYTES, &available);

	return segment_head_read(bytes, bytes ? available : 0, ret_head);
}

static void segments_note_start(struct reader *reader, const struct segment_head *head)
{
	struct reader_facts *facts = &reader->facts;

	facts->before.from_ns = head->begin_ns;
	facts->before.frames = head->frames;
	facts->before.records = head->records;
	facts->before.lost = head->lost_before;
}

/* What may stand between the schema and the first segment head: returns what follows it. */
static uint64_t behind_first(struct reader *reader, uint64_t offset, bool *gave_back)
{
	size_t available;
	const uint8_t *bytes = window_at(&reader->window, offset, FILE_SKIPPABLE_HEAD, &available);
	struct cursor c = cursor_of(bytes, bytes ? available : 0);
	uint32_t magic = get_u32(&c);
	uint64_t length = FILE_SKIPPABLE_HEAD + (uint64_t)get_u32(&c);

	if (c.failed)
		return offset;
	if (magic == FILE_MAGIC_GONE && gone_is_at(reader, offset))
		*gave_back = true;
	else if (magic != FILE_MAGIC_PAD && magic != FILE_MAGIC_SYMBOLS)
		return offset;
	return offset + length;
}

int segments_find_first(struct reader *reader)
{
	uint64_t offset = reader->facts.position, next;
	struct frame_place schema;
	struct segment_head head;
	bool gave_back = false;

	if (reader->facts.header.version < FILE_VERSION_KEEP_LAST ||
	    reader_find_frame(reader, offset, &schema))
		return reader->window.error;
	next = offset + schema.length;
	for (unsigned int count = 0; next != offset && count < GONE_MAX; count++) {
		offset = next;
		next = behind_first(reader, offset, &gave_back);
	}
	if (gave_back && !head_read(reader, offset, &head)) {
		reader->facts.before.gave_back = true;
		segments_note_start(reader, &head);
	}
	return reader->window.error;
}

void segments_take(struct reader *reader, uint32_t magic)
{
	struct reader_facts *facts = &reader->facts;
	struct segment_head head;

	if (magic == FILE_MAGIC_GONE && gone_is_at(reader, facts->position))
		reader->enters = !facts->frames;
	if (magic != FILE_MAGIC_SEGMENT || !reader->enters ||
	    head_read(reader, facts->position, &head))
		return;
	segments_note_start(reader, &head);
	facts->last_sequence = head.sequence;
}
