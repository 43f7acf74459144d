/* SPDX-License-Identifier: MIT */
/*
 * First the head of a skippable frame over the whole segment is written, which a kill cannot tear
 * because it lies in one page; then a hole is punched into its payload.
 */
#include "collector/output/segments.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/format/room.h"

void segments_release(struct segments *segments)
{
	free(segments->segment);
	*segments = (struct segments){ 0 };
}

static int hole_punch(int fd, uint64_t from, uint64_t to)
{
	if (from >= to)
		return 0;
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
			 (off_t)(to - from));
}

/* Tried behind the end of the file, where nothing is. */
bool segments_can_give_back(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);
	uint64_t from = end < 0 ? 0 : ((uint64_t)end / SEGMENT_PAGE + 1) * SEGMENT_PAGE;

	return end >= 0 && !hole_punch(fd, from, from + SEGMENT_PAGE);
}

bool segments_add(struct segments *segments, const struct segment *segment)
{
	struct segment *grown = room_for_one(segments->segment, &segments->room, segments->count,
					     sizeof(*grown));

	if (!grown)
		return false;
	segments->segment = grown;
	segments->segment[segments->count++] = *segment;
	return true;
}

void segments_close(struct segments *segments, int fd, uint64_t end_offset,
		    const struct segment_head *end)
{
	struct segment *open = segments_open(segments);
	uint8_t bytes[SEGMENT_HEAD_BYTES];
	size_t length;

	if (!open)
		return;
	open->head.bytes = end_offset - open->offset;
	open->head.end_ns = end->end_ns;
	open->head.own_frames = end->own_frames;
	open->head.own_records = end->own_records;
	open->head.lost = end->lost;
	open->head.families = end->families;
	open->head.first_step = end->first_step;
	open->head.last_step = end->last_step;
	length = segment_head_write(bytes, &open->head);
	if (open->has_head && pwrite(fd, bytes, length, (off_t)open->offset) != (ssize_t)length)
		return;
}

/* What is given back when this segment joins what was given back before it. */
static struct segment_gone gone_with(const struct segments *segments, bool joins,
				     const struct segment_head *head)
{
	struct segment_gone gone = { .from_ns = head->begin_ns };

	if (joins)
		gone = segments->gone;
	gone.segments++;
	gone.frames += head->own_frames;
	gone.records += head->own_records;
	gone.lost += head->lost;
	gone.to_ns = head->end_ns;
	return gone;
}

static void segments_forget_first(struct segments *segments, size_t frames)
{
	segments->count--;
	memmove(segments->segment, segments->segment + 1,
		segments->count * sizeof(*segments->segment));
	for (size_t i = 0; i < segments->count; i++)
		segments->segment[i].frames -= frames;
}

size_t segments_index_length(const struct segments *segments)
{
	bool is_wanted = segments->count > 1 && segments->count <= SEGMENT_INDEX_MAX;

	return is_wanted ? segment_index_length(segments->count) : 0;
}

bool segments_write_index(const struct segments *segments, uint64_t offset, uint8_t *bytes)
{
	struct segment_entry *entry = malloc(segments->count * sizeof(*entry));

	if (!entry)
		return false;
	for (size_t i = 0; i < segments->count; i++)
		entry[i] = (struct segment_entry){ offset - segments->segment[i].offset,
						   segments->segment[i].head };
	segment_index_write(bytes, entry, segments->count);
	free(entry);
	return true;
}

size_t segments_give_back(struct segments *segments, int fd)
{
	const struct segment *first = segments->segment;
	uint8_t bytes[SEGMENT_GONE_BYTES];
	uint64_t end, offset, length;
	struct segment_gone gone;
	size_t frames;
	bool joins;

	if (!segments->gives_back || segments->count < 2)
		return 0;
	joins = segments->gone_bytes &&
		segments->gone_offset + segments->gone_bytes == first->offset &&
		segments->gone_bytes + first->head.bytes <= SEGMENT_GONE_MAX;
	end = first->offset + first->head.bytes;
	offset = joins ? segments->gone_offset : first->offset;
	length = end - offset;
	gone = gone_with(segments, joins, &first->head);
	if (length > SEGMENT_GONE_MAX || pwrite(fd, bytes, segment_gone_write(bytes, &gone, length),
						(off_t)offset) != (ssize_t)sizeof(bytes))
		return 0;
	(void)hole_punch(fd, joins ? first->offset : first->offset + SEGMENT_PAGE, end);
	segments->gone = gone;
	segments->gone_offset = offset;
	segments->gone_bytes = length;
	segments->given_bytes += first->head.bytes - (joins ? 0 : SEGMENT_PAGE);
	frames = segments->segment[1].frames - first->frames;
	segments_forget_first(segments, frames);
	return frames;
}
