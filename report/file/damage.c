/* SPDX-License-Identifier: MIT */
/*
 * After damage: finds the next place where an intact frame begins. Four bytes that look like a
 * magic prove nothing (they occur in compressed data); a whole frame with its checksum does.
 */
#include "report/file/reader_state.h"

#include <string.h>

#include "collector/format/error.h"

/*
 * Candidates that are examined in one file. Random bytes contain one in 256 MiB. A file made to
 * contain many is given up, so that the time stays proportional to its length.
 */
#define DAMAGE_TRIES 1024u
#define SCAN_BYTES (64u << 10)
#define MAGIC_BYTES 4u

static bool bytes_are_magic(const uint8_t *bytes, uint32_t *ret_magic)
{
	memcpy(ret_magic, bytes, MAGIC_BYTES);
	return *ret_magic == ZSTD_FRAME_MAGIC || magic_is_skippable(*ret_magic);
}

/* Offset of the first magic among the bytes, `length` if there is none. */
static size_t magic_search(const uint8_t *bytes, size_t length, uint32_t *ret_magic)
{
	size_t at = 0;

	for (; at + MAGIC_BYTES <= length; at++) {
		uint8_t last = bytes[at + 3];

		if ((last == ZSTD_FRAME_MAGIC >> 24 || last == SKIPPABLE_MAGIC >> 24) &&
		    bytes_are_magic(bytes + at, ret_magic))
			return at;
	}
	return length;
}

static bool frame_verifies(struct reader *reader, uint64_t offset)
{
	struct frame_place place;
	const uint8_t *bytes;
	size_t length;
	struct cursor c;
	uint32_t tag;

	if (reader_find_frame(reader, offset, &place) ||
	    decompressor_run(&reader->decompressor, place.bytes, place.length, &bytes, &length))
		return false;
	c = cursor_of(bytes, length);
	tag = get_u32(&c);
	return tag == FRAME_TAG_DATA || tag == FRAME_TAG_SCHEMA;
}

/* Returns the next offset from `from` on where reading can continue, or the end's. */
static uint64_t damage_search(struct reader *reader, uint64_t from)
{
	for (;;) {
		size_t length, at;
		uint32_t magic;
		const uint8_t *bytes = window_at(&reader->window, from, SCAN_BYTES, &length);

		if (!bytes || length < MAGIC_BYTES || reader->damage_tries >= DAMAGE_TRIES)
			return UINT64_MAX;
		at = magic_search(bytes, length, &magic);
		if (at == length) {
			from += length - (MAGIC_BYTES - 1);
			continue;
		}
		from += at;
		reader->damage_tries++;
		if (magic == ZSTD_FRAME_MAGIC ? frame_verifies(reader, from)
					      : ending_verifies(reader, from, magic))
			return from;
		from++;
	}
}

int damage_pass(struct reader *reader, int error)
{
	struct reader_facts *facts = &reader->facts;
	uint64_t next;

	if (facts->complete) {
		reader_fault(reader, facts->position, error,
			     error == EVT_TRUNCATED ? "the file ends inside the seek table"
						    : "bytes follow the end of the recording");
		reader->seek_checked = true; /* it was reported already */
		reader->done = true;
		ending_check(reader);
		return EVT_END;
	}
	if (!reader->damage.open)
		reader->damage = (struct damage){ true, facts->position, error };
	reader->damaged = true;
	next = damage_search(reader, facts->position + 1);
	if (next == UINT64_MAX) {
		reader->done = true;
		damage_tell_end(reader);
		ending_check(reader);
	} else {
		facts->position = next;
	}
	return EVT_END;
}

void damage_tell(struct reader *reader, uint64_t next_sequence)
{
	const struct damage *damage = &reader->damage;
	unsigned long long first = reader->facts.last_sequence + 1;
	unsigned long long last = next_sequence - 1;
	const char *reason = evt_error_text(damage->error == EVT_TRUNCATED ? EVT_CORRUPT
									   : damage->error);

	if (!damage->open)
		return;
	if (last < first)
		reader_fault(reader, damage->offset, damage->error,
			     "bytes that belong to no frame: %s", reason);
	else if (last == first)
		reader_fault(reader, damage->offset, damage->error, "frame %llu: %s", first,
			     reason);
	else
		reader_fault(reader, damage->offset, damage->error, "frames %llu to %llu: %s",
			     first, last, reason);
	reader->damage.open = false;
}

void damage_tell_end(struct reader *reader)
{
	const struct damage *damage = &reader->damage;
	unsigned long long next = reader->facts.last_sequence + 1;

	if (!damage->open)
		return;
	if (damage->error != EVT_TRUNCATED)
		reader_fault(reader, damage->offset, damage->error,
			     "frame %llu: %s, and nothing readable follows", next,
			     evt_error_text(damage->error));
	else if (!reader->facts.live)
		reader_fault(reader, damage->offset, damage->error,
			     "the file ends inside frame %llu", next);
	reader->damage.open = false;
}
