/* SPDX-License-Identifier: MIT */
/*
 * Copies the parts of the file in front of the symbol frames and behind them, and writes the new
 * symbol frames between.
 */
#include "report/raw/symbol_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/format/codec.h"
#include "collector/format/file.h"
#include "collector/format/segment.h"
#include "report/base/descriptor.h"
#include "report/base/memory.h"
#include "report/file/bytes.h"
#include "report/file/decompress.h"

#define PIECE_BYTES (1u << 20) /* more than header and schema need */

struct copying {
	struct bytes from;
	int to;
	uint8_t *piece;                         /* room for PIECE_BYTES */
	uint64_t behind_schema, behind_symbols; /* offsets in `from` */
};

/* --- offsets of the parts --- */

/*
 * Returns the offset behind the skippable frame at `offset`, if the frame has that magic; otherwise
 * the same offset.
 */
static uint64_t behind_skippable(const struct copying *copying, uint64_t offset, uint32_t magic)
{
	uint8_t head[FILE_SKIPPABLE_HEAD + 4];
	int64_t length = bytes_read(&copying->from, offset, head, sizeof(head));
	struct cursor c = cursor_of(head, length > 0 ? (size_t)length : 0);
	bool is_wanted = get_u32(&c) == magic;
	uint64_t behind = offset + FILE_SKIPPABLE_HEAD + get_u32(&c);

	if (magic == FILE_MAGIC_SYMBOLS)
		is_wanted &= get_u32(&c) == FILE_TAG_SYMBOLS;
	return is_wanted && !c.failed && behind <= copying->from.size ? behind : offset;
}

static bool find_places(struct copying *copying)
{
	uint64_t schema = behind_skippable(copying, 0, FILE_MAGIC_HEADER), behind;
	int64_t length = bytes_read(&copying->from, schema, copying->piece, PIECE_BYTES);
	size_t schema_bytes;

	if (!schema || length <= 0 ||
	    frame_compressed_length(copying->piece, (size_t)length, &schema_bytes))
		return false;
	copying->behind_schema = behind = schema + schema_bytes;
	do {
		copying->behind_symbols = behind;
		behind = behind_skippable(copying, behind, FILE_MAGIC_SYMBOLS);
	} while (behind != copying->behind_symbols);
	return true;
}

/* --- writing --- */

static int copy_range(struct copying *copying, uint64_t offset, uint64_t end)
{
	while (offset < end) {
		size_t wanted = end - offset < PIECE_BYTES ? (size_t)(end - offset) : PIECE_BYTES;
		int64_t length = bytes_read(&copying->from, offset, copying->piece, wanted);

		if (length == 0)
			errno = ESTALE; /* the file has become shorter */
		if (length <= 0 || !descriptor_write(copying->to, copying->piece, (size_t)length))
			return -1;
		offset += (uint64_t)length;
	}
	return 0;
}

/*
 * What was given back needs no room in the copy. It follows the schema, perhaps behind padding;
 * sets *offset to what follows it.
 */
static int copy_gone(struct copying *copying, uint64_t *offset)
{
	uint64_t at = behind_skippable(copying, *offset, FILE_MAGIC_PAD), behind;
	uint8_t bytes[SEGMENT_GONE_BYTES];
	struct segment_gone gone;
	int64_t length;

	if (copy_range(copying, *offset, at))
		return -1;
	*offset = at;
	while ((behind = behind_skippable(copying, at, FILE_MAGIC_GONE)) != at) {
		length = bytes_read(&copying->from, at, bytes, sizeof(bytes));
		if (length < 0 || segment_gone_read(bytes, (size_t)length, &gone))
			return 0;
		if (!descriptor_write(copying->to, bytes,
				      segment_gone_write(bytes, &gone, sizeof(bytes))))
			return -1;
		*offset = at = behind;
	}
	return 0;
}

static int write_copy(struct copying *copying, const struct symbolized *symbolized)
{
	uint64_t rest = copying->behind_symbols;

	if (copy_range(copying, 0, copying->behind_schema))
		return -1;
	for (size_t i = 0; i < symbolized->count; i++)
		if (!descriptor_write(copying->to, symbolized->frame[i].bytes,
				      symbolized->frame[i].length))
			return -1;
	return copy_gone(copying, &rest) || copy_range(copying, rest, copying->from.size) ||
	       fsync(copying->to);
}

/* The copy gets the permissions of the recording. */
static int symbol_copy_write_beside(struct copying *copying, const char *copy,
				    const struct symbolized *symbolized)
{
	char temporary[PATH_MAX];
	struct stat status;
	int saved;

	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", copy) >= (int)sizeof(temporary)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	copying->to = mkostemp(temporary, O_CLOEXEC);
	if (copying->to < 0)
		return -1;
	if (!fstat(copying->from.fd, &status) && !fchmod(copying->to, status.st_mode & 0777) &&
	    !write_copy(copying, symbolized) && !rename(temporary, copy)) {
		close(copying->to);
		return 0;
	}
	saved = errno;
	unlink(temporary);
	close(copying->to);
	errno = saved;
	return -1;
}

int symbol_copy_write(const char *path, const char *copy, const struct symbolized *symbolized,
		      char *message, size_t message_bytes)
{
	struct copying copying = { .to = -1 };
	int result = -1;

	if (bytes_open(&copying.from, path)) {
		snprintf(message, message_bytes, "'%s': %s", path, strerror(errno));
		return -1;
	}
	copying.piece = memory_zero(PIECE_BYTES, 1);
	if (!find_places(&copying))
		snprintf(message, message_bytes,
			 "'%s' has no header and schema that symbols could stand behind", path);
	else if (symbol_copy_write_beside(&copying, copy, symbolized))
		snprintf(message, message_bytes, "cannot write '%s': %s; name another with -o",
			 copy, strerror(errno));
	else
		result = 0;
	free(copying.piece);
	bytes_close(&copying.from);
	return result;
}
