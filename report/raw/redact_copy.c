/* SPDX-License-Identifier: MIT */
/*
 * Copies the file part by part. The seek table is written anew, since the frames have other
 * lengths.
 */
#include "report/raw/redact_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/format/codec.h"
#include "collector/format/error.h"
#include "collector/format/file.h"
#include "collector/format/segment.h"
#include "report/base/descriptor.h"
#include "report/base/memory.h"
#include "report/file/decompress.h"
#include "report/file/recompress.h"
#include "report/raw/redact_frame.h"

#define PIECE_FIRST (256u << 10)

struct redacting {
	const struct redact_texts *texts;
	const struct session_file *file;
	const char *copy;
	int to;
	uint64_t offset; /* in the file */
	uint8_t *piece;
	size_t room;
	struct decompressor decompressor;
	struct redact_bytes changed;
	bool enters; /* the first segment that is left of the recording begins here */
	struct seek_entry *seek;
	size_t seek_count, seek_room;
	bool is_damaged; /* true: the file is damaged; false: errno has the error */
};

static int damaged(struct redacting *redacting)
{
	redacting->is_damaged = true;
	return -1;
}

/*
 * Returns so many bytes from the present place on, or fewer if the file ends. A negative result is
 * an error: see errno.
 */
static int64_t redact_copy_look(struct redacting *redacting, size_t wanted)
{
	if (wanted > redacting->room) {
		redacting->piece = memory_grow(redacting->piece, wanted, 1);
		redacting->room = wanted;
	}
	return bytes_read(&redacting->file->bytes, redacting->offset, redacting->piece, wanted);
}

static int write_skippable(struct redacting *redacting, uint32_t magic, const uint8_t *payload,
			   size_t length)
{
	uint8_t head[FILE_SKIPPABLE_HEAD];

	put_u32(put_u32(head, magic), (uint32_t)length);
	return !descriptor_write(redacting->to, head, sizeof(head)) ||
	       !descriptor_write(redacting->to, payload, length);
}

/* --- the parts --- */

static int take_header(struct redacting *redacting, const uint8_t *bytes, size_t length)
{
	uint8_t written[FILE_HEADER_BYTES_MAX];
	struct file_header header;
	size_t header_bytes;

	if (file_header_read(bytes, length, &header, &header_bytes))
		return damaged(redacting);
	if (redacting->texts->what & REDACT_HOST)
		snprintf(header.host, sizeof(header.host), "%s", redacting->texts->host);
	snprintf(header.session, sizeof(header.session), "%s", redacting->texts->session);
	header.name = file_name_hash(redacting->copy); /* the old name may contain the host */
	header.segment = 0;
	return !descriptor_write(redacting->to, written, file_header_write(written, &header));
}

static int take_symbols(struct redacting *redacting, const uint8_t *payload, size_t length)
{
	if (length > FILE_SYMBOLS_BYTES_MAX ||
	    redact_symbols(redacting->texts, payload, length, &redacting->changed))
		return damaged(redacting);
	return write_skippable(redacting, FILE_MAGIC_SYMBOLS, redacting->changed.at,
			       redacting->changed.length);
}

static int put_seek(struct redacting *redacting)
{
	size_t length = file_seek_length(redacting->seek_count);
	uint8_t *bytes = memory_zero(length, 1);
	int error;

	file_seek_write(bytes, redacting->seek, redacting->seek_count);
	error = !descriptor_write(redacting->to, bytes, length);
	free(bytes);
	return error;
}

/* What was given back needs no room in the copy. */
static int redact_take_gone(struct redacting *redacting)
{
	int64_t length = redact_copy_look(redacting, SEGMENT_GONE_BYTES);
	uint8_t bytes[SEGMENT_GONE_BYTES];
	struct segment_gone gone;

	if (length < 0 || segment_gone_read(redacting->piece, (size_t)length, &gone))
		return damaged(redacting);
	redacting->enters = true;
	return !descriptor_write(redacting->to, bytes,
				 segment_gone_write(bytes, &gone, SEGMENT_GONE_BYTES));
}

/* The copy has no segments but the one that it begins with, if others were before it. */
static int redact_take_segment(struct redacting *redacting)
{
	int64_t length = redact_copy_look(redacting, SEGMENT_HEAD_BYTES);
	uint8_t bytes[SEGMENT_HEAD_BYTES];
	struct segment_head head;

	if (!redacting->enters)
		return 0;
	if (length < 0 || segment_head_read(redacting->piece, (size_t)length, &head))
		return damaged(redacting);
	head.bytes = 0;
	return !descriptor_write(redacting->to, bytes, segment_head_write(bytes, &head));
}

/* Skippable frames of unknown kinds are not copied: they could contain anything. */
static int take_skippable(struct redacting *redacting, uint32_t magic, size_t *ret_length)
{
	int64_t length = redact_copy_look(redacting, FILE_SKIPPABLE_HEAD);
	struct cursor c = cursor_of(redacting->piece, length > 0 ? (size_t)length : 0);
	size_t whole;

	get_u32(&c);
	whole = FILE_SKIPPABLE_HEAD + (size_t)get_u32(&c);
	if (c.failed || whole > redacting->file->bytes.size - redacting->offset)
		return damaged(redacting);
	*ret_length = whole;
	if (magic == FILE_MAGIC_SEEK)
		return put_seek(redacting);
	if (magic == FILE_MAGIC_GONE)
		return redact_take_gone(redacting);
	if (magic == FILE_MAGIC_SEGMENT)
		return redact_take_segment(redacting);
	if (whole > FILE_SYMBOLS_BYTES_MAX + FILE_SKIPPABLE_HEAD)
		return damaged(redacting);
	length = redact_copy_look(redacting, whole);
	if (length != (int64_t)whole)
		return damaged(redacting);
	if (magic == FILE_MAGIC_HEADER)
		return take_header(redacting, redacting->piece, whole);
	if (magic == FILE_MAGIC_SYMBOLS)
		return take_symbols(redacting, redacting->piece + FILE_SKIPPABLE_HEAD,
				    whole - FILE_SKIPPABLE_HEAD);
	if (magic == FILE_MAGIC_END)
		return !descriptor_write(redacting->to, redacting->piece, whole);
	return 0;
}

static int redact_copy_put_frame(struct redacting *redacting, const uint8_t *bytes, size_t length)
{
	size_t compressed;
	uint8_t *frame = recompress(bytes, length, &compressed);
	int error;

	if (!frame) {
		errno = ENOMEM;
		return -1;
	}
	redacting->seek = memory_room(redacting->seek, redacting->seek_count, &redacting->seek_room,
				      sizeof(*redacting->seek));
	redacting->seek[redacting->seek_count++] = (struct seek_entry){ (uint32_t)compressed,
									(uint32_t)length };
	error = !descriptor_write(redacting->to, frame, compressed);
	free(frame);
	return error;
}

/* The schema frame is rewritten as this program writes it; in data frames the texts are changed. */
static int redact_copy_take_frame(struct redacting *redacting, size_t *ret_length)
{
	size_t wanted = PIECE_FIRST, most = frame_compressed_max(), content_length;
	const uint8_t *content;
	struct cursor c;
	int64_t length;
	uint32_t tag;
	int error;

	do {
		length = redact_copy_look(redacting, wanted);
		if (length < 0)
			return -1;
		error = frame_compressed_length(redacting->piece, (size_t)length, ret_length);
		wanted *= 2;
	} while (error == EVT_TRUNCATED && (size_t)length == wanted / 2 && wanted <= 2 * most);
	if (error || decompressor_run(&redacting->decompressor, redacting->piece, *ret_length,
				      &content, &content_length))
		return damaged(redacting);
	c = cursor_of(content, content_length);
	tag = get_u32(&c);
	if (tag == FRAME_TAG_STATE && !redacting->enters)
		return 0;
	redacting->enters = false;
	if (tag != FRAME_TAG_DATA && tag != FRAME_TAG_STATE)
		return redact_copy_put_frame(redacting, content, content_length);
	if (redact_frame(redacting->texts, content, content_length, &redacting->changed))
		return damaged(redacting);
	return redact_copy_put_frame(redacting, redacting->changed.at, redacting->changed.length);
}

static int redact_copy_take_parts(struct redacting *redacting)
{
	while (redacting->offset < redacting->file->bytes.size) {
		int64_t length = redact_copy_look(redacting, sizeof(uint32_t));
		struct cursor c = cursor_of(redacting->piece, length > 0 ? (size_t)length : 0);
		uint32_t magic = get_u32(&c);
		size_t whole;
		int error;

		if (c.failed)
			return damaged(redacting);
		error = magic_is_skippable(magic) ? take_skippable(redacting, magic, &whole)
						  : redact_copy_take_frame(redacting, &whole);
		if (error)
			return error;
		redacting->offset += whole;
	}
	return fsync(redacting->to);
}

/* --- the file --- */

static int redact_copy_write_beside(struct redacting *redacting)
{
	char temporary[PATH_MAX];
	int saved;

	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", redacting->copy) >=
	    (int)sizeof(temporary)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	redacting->to = mkostemp(temporary, O_CLOEXEC);
	if (redacting->to < 0)
		return -1;
	if (!redact_copy_take_parts(redacting) && !rename(temporary, redacting->copy)) {
		close(redacting->to);
		return 0;
	}
	saved = errno;
	unlink(temporary);
	close(redacting->to);
	errno = saved;
	return -1;
}

int redact_copy_write(const struct redact_texts *texts, const struct session_file *file,
		      const char *copy, char *message, size_t message_bytes)
{
	struct redacting redacting = { .texts = texts, .file = file, .copy = copy, .to = -1 };
	int error = decompressor_init(&redacting.decompressor);

	if (error)
		errno = ENOMEM;
	else
		error = redact_copy_write_beside(&redacting);
	if (redacting.is_damaged)
		snprintf(message, message_bytes,
			 "'%s' is damaged at offset %llu, and only a whole recording can be copied "
			 "without its secrets; prof-report check says more",
			 file->path, (unsigned long long)redacting.offset);
	else if (error)
		snprintf(message, message_bytes, "cannot write '%s': %s; name another with -o",
			 copy, strerror(errno));
	decompressor_release(&redacting.decompressor);
	free(redacting.piece);
	free(redacting.changed.at);
	free(redacting.seek);
	return error;
}
