/* SPDX-License-Identifier: MIT */
/*
 * Skippable frames: end marker, seek table, and those of later versions, which are skipped. The
 * seek table is not needed for reading, but must agree with what was read.
 */
#include "report/file/reader_state.h"
#include "report/base/units.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "collector/format/error.h"
#include "collector/format/room.h"

#define SEEK_FOOTER_MAGIC 0x8F92EAB1u /* last four bytes of a table in zstd's seekable format */

int ending_note_frame(struct reader *reader, size_t compressed, size_t uncompressed)
{
	struct seek_entry *seek = room_for_one(reader->seek, &reader->seek_room, reader->seek_count,
					       sizeof(*seek));

	if (!seek)
		return EVT_NO_MEMORY;
	reader->seek = seek;
	reader->seek[reader->seek_count++] = (struct seek_entry){ (uint32_t)compressed,
								  (uint32_t)uncompressed };
	return EVT_OK;
}

/*
 * Returns 0 with the whole length of the skippable frame, EVT_TRUNCATED if the file ends inside it.
 */
static int skippable_length(struct reader *reader, uint64_t offset, uint64_t *ret_length)
{
	size_t available;
	const uint8_t *bytes = window_at(&reader->window, offset, FILE_SKIPPABLE_HEAD, &available);
	struct cursor c = cursor_of(bytes, bytes ? available : 0);
	uint64_t length;

	get_u32(&c);
	length = FILE_SKIPPABLE_HEAD + (uint64_t)get_u32(&c);
	if (c.failed ||
	    (length > available && !window_at(&reader->window, offset + length - 1, 1, &available)))
		return EVT_TRUNCATED;
	*ret_length = length;
	return EVT_OK;
}

static int ending_take_marker(struct reader *reader)
{
	struct reader_facts *facts = &reader->facts;
	const uint64_t frames = facts->frames + facts->before.frames;
	const uint64_t records = facts->records + facts->before.records;
	size_t available;
	const uint8_t *bytes = window_at(&reader->window, facts->position, FILE_END_BYTES,
					 &available);
	int error = file_end_read(bytes, bytes ? available : 0, &facts->end);

	if (error)
		return error;
	if (reader->damage.open)
		damage_tell(reader, facts->end.frames + 1);
	else if (facts->end.frames > facts->last_sequence)
		reader_fault(reader, facts->position, EVT_CORRUPT,
			     "frames %llu to %llu are missing",
			     (unsigned long long)facts->last_sequence + 1,
			     (unsigned long long)facts->end.frames);
	facts->complete = true;
	if (facts->end.records != records)
		reader_fault(reader, facts->position, EVT_CORRUPT,
			     "%llu record%s written, %llu read",
			     (unsigned long long)facts->end.records,
			     unit_plural(facts->end.records), (unsigned long long)records);
	else if (facts->end.frames != frames)
		reader_fault(reader, facts->position, EVT_CORRUPT,
			     "%llu frame%s written, %llu read",
			     (unsigned long long)facts->end.frames, unit_plural(facts->end.frames),
			     (unsigned long long)frames);
	else if (facts->end.end_ns < facts->last_watermark_ns)
		reader_fault(reader, facts->position, EVT_CORRUPT,
			     "the end is before the last frame's watermark");
	return EVT_OK;
}

/* The table must equal, byte for byte, what follows from the frames that were read. */
static void seek_compare(struct reader *reader, uint64_t length)
{
	size_t wanted = file_seek_length(reader->seek_count);
	uint64_t offset = reader->facts.position;
	uint8_t *expected = length == wanted ? malloc(wanted) : NULL;
	const uint8_t *bytes;
	size_t available;
	bool same = false;

	reader->seek_checked = true;
	if (reader->seeking.has_passed) { /* frames without an entry */
		free(expected);
		return;
	}
	if (expected) {
		file_seek_write(expected, reader->seek, reader->seek_count);
		bytes = window_at(&reader->window, offset, wanted, &available);
		same = bytes && available >= wanted && memcmp(bytes, expected, wanted) == 0;
		free(expected);
	}
	if (!same && !reader->damaged)
		reader_fault(reader, offset, EVT_CORRUPT,
			     "the seek table does not match the frames");
}

/* Takes a symbol frame. A frame of another kind with the same magic is skipped. */
static void symbols_take(struct reader *reader, uint64_t length)
{
	uint64_t offset = reader->facts.position, hash;
	size_t available, hashed;
	const uint8_t *bytes;
	struct cursor c;

	length -= FILE_SKIPPABLE_HEAD;
	bytes = window_at(&reader->window, offset,
			  FILE_SKIPPABLE_HEAD + (length <= FILE_SYMBOLS_BYTES_MAX ? length : 4),
			  &available);
	c = cursor_of(bytes, bytes ? available : 0);
	get_bytes(&c, FILE_SKIPPABLE_HEAD);
	if (get_u32(&c) != FILE_TAG_SYMBOLS)
		return;
	bytes += FILE_SKIPPABLE_HEAD;
	hashed = (size_t)length - sizeof(hash);
	if (length <= FILE_SYMBOLS_BYTES_MAX && length > sizeof(hash) &&
	    available >= FILE_SKIPPABLE_HEAD + length) {
		memcpy(&hash, bytes + hashed, sizeof(hash));
		if (hash == XXH64(bytes, hashed, 0)) {
			if (reader->listener.symbols)
				reader->listener.symbols(reader->listener.context, bytes,
							 (size_t)length);
			return;
		}
	}
	reader_fault(reader, offset, EVT_CHECKSUM,
		     "its symbols are damaged: not used; prof-report symbolize makes them again");
}

int ending_take(struct reader *reader, uint32_t magic)
{
	uint64_t length;
	int error = skippable_length(reader, reader->facts.position, &length);

	if (error)
		return error;
	if (magic == FILE_MAGIC_HEADER) {
		reader_fault(reader, reader->facts.position, EVT_CORRUPT,
			     "another recording begins here: it is not read");
		reader->done = true;
		damage_tell_end(reader);
		ending_check(reader);
		return EVT_END;
	}
	if (magic == FILE_MAGIC_END) {
		error = reader->facts.complete ? EVT_CORRUPT : ending_take_marker(reader);
		if (error)
			return error;
	}
	if (magic == FILE_MAGIC_SYMBOLS)
		symbols_take(reader, length);
	if (magic == FILE_MAGIC_SEEK)
		seek_compare(reader, length);
	segments_take(reader, magic);
	reader->facts.position += length;
	return EVT_END;
}

bool ending_verifies(struct reader *reader, uint64_t offset, uint32_t magic)
{
	uint64_t length;
	size_t available;
	const uint8_t *bytes;
	struct file_end end;
	struct cursor c;

	if (magic == FILE_MAGIC_END) {
		bytes = window_at(&reader->window, offset, FILE_END_BYTES, &available);
		return bytes && file_end_read(bytes, available, &end) == EVT_OK;
	}
	if (magic != FILE_MAGIC_SEEK || skippable_length(reader, offset, &length) || length < 17)
		return false;
	bytes = window_at(&reader->window, offset + length - 4, 4, &available);
	c = cursor_of(bytes, bytes ? available : 0);
	return get_u32(&c) == SEEK_FOOTER_MAGIC;
}

void ending_check(struct reader *reader)
{
	const struct reader_facts *facts = &reader->facts;

	if (facts->live || reader->window.error)
		return;
	if (!facts->complete)
		reader_fault(reader, facts->position, EVT_TRUNCATED,
			     "no end marker: the recording was cut short after %llu frame%s",
			     (unsigned long long)facts->frames, unit_plural(facts->frames));
	else if (!reader->seek_checked)
		reader_fault(reader, facts->position, EVT_TRUNCATED, "the seek table is missing");
}
