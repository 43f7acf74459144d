/* SPDX-License-Identifier: MIT */
/*
 * Writes each file's header twice, since its sizes are known only after its bytes. The directory is
 * kept in memory until the end. Numbers are little-endian, as on this machine.
 */
#include "report/pack/zip.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "report/base/descriptor.h"
#include "report/base/memory.h"
#include "report/base/text.h"

#define PIECE_BYTES 65536u
#define WIDE_BYTES 0xffffffffu /* of a number that is in the ZIP64 part */
#define WIDE_FILES 0xffffu
#define VERSION 20u       /* folders and deflate */
#define VERSION_ZIP64 45u /* of entries in ZIP64 */
/*
 * a file this near to the limit may exceed it when it is compressed, or by growing while it is read
 */
#define GROWTH (1u << 20)
#define MADE_ON_UNIX (3u << 8)
#define NAME_IS_UTF8 (1u << 11)
#define WIDE_ID 1u
#define WIDE_LENGTH 16u /* two sizes */
#define METHOD_STORED 0u
#define METHOD_DEFLATED 8u
#define DATE_NONE 0x21u /* 1980-01-01 */
#define MODE_OF_FILE (0100644u << 16)
#define LEVEL 6

struct zip_part { /* section 4.3.7 from `version` on, and 4.3.12 */
	uint16_t version, flags, method, time, date;
	uint32_t crc, packed, bytes;
	uint16_t name_bytes, extra_bytes;
} __attribute__((packed));

struct zip_wide { /* section 4.5.3: of a file, behind its name */
	uint16_t id, length;
	uint64_t bytes, packed;
} __attribute__((packed));

struct zip_local {
	uint32_t signature;
	struct zip_part part;
} __attribute__((packed));

struct zip_entry {
	uint32_t signature;
	uint16_t made_by;
	struct zip_part part;
	uint16_t comment_bytes, disk, internal;
	uint32_t external, offset;
} __attribute__((packed));

struct zip_end {
	uint32_t signature;
	uint16_t disk, disk_of_directory, count_here, count;
	uint32_t directory_bytes, offset;
	uint16_t comment_bytes;
} __attribute__((packed));

struct zip_wide_end { /* section 4.3.14, and 4.3.15 from `locator` on */
	uint32_t signature;
	uint64_t length_behind;
	uint16_t made_by, version;
	uint32_t disk, disk_of_directory;
	uint64_t count_here, count, directory_bytes, offset;
	uint32_t locator, disk_of_end;
	uint64_t end_offset;
	uint32_t disks;
} __attribute__((packed));

void zip_init(struct zip *zip, int to)
{
	*zip = (struct zip){ .to = to, .wide_from = WIDE_BYTES };
}

void zip_release(struct zip *zip)
{
	free(zip->directory);
}

static int zip_put(struct zip *zip, const void *bytes, size_t length)
{
	if (!descriptor_write_at(zip->to, bytes, length, zip->offset))
		return -1;
	zip->offset += length;
	return 0;
}

/* --- one file --- */

static ssize_t read_piece(int from, uint8_t *piece)
{
	ssize_t length;

	do
		length = read(from, piece, PIECE_BYTES);
	while (length < 0 && errno == EINTR);
	return length;
}

static int put_deflated(struct zip *zip, z_stream *stream, int flush)
{
	uint8_t packed[PIECE_BYTES];

	do {
		stream->next_out = packed;
		stream->avail_out = sizeof(packed);
		deflate(stream, flush);
		if (zip_put(zip, packed, sizeof(packed) - stream->avail_out))
			return -1;
	} while (!stream->avail_out);
	return 0;
}

/* What a file's header says about its bytes. */
struct content {
	uint32_t crc;
	uint64_t bytes, packed;
};

/* `stream`: NULL: the file is stored, not deflated. */
static int put_content(struct zip *zip, int from, z_stream *stream, struct content *content)
{
	uint8_t piece[PIECE_BYTES];
	ssize_t length;
	int error = 0;

	while (!error && (length = read_piece(from, piece)) != 0) {
		if (length < 0)
			return -1;
		content->bytes += (size_t)length;
		content->crc = (uint32_t)crc32(content->crc, piece, (uInt)length);
		if (stream) {
			stream->next_in = piece;
			stream->avail_in = (uInt)length;
			error = put_deflated(zip, stream, Z_NO_FLUSH);
		} else {
			error = zip_put(zip, piece, (size_t)length);
		}
	}
	return error || (stream && put_deflated(zip, stream, Z_FINISH)) ? -1 : 0;
}

static int zip_put_file(struct zip *zip, int from, bool deflates, struct content *content)
{
	uint64_t begin = zip->offset;
	z_stream stream = { .zalloc = Z_NULL };
	int error;

	if (deflates && deflateInit2(&stream, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
				     Z_DEFAULT_STRATEGY) != Z_OK) {
		errno = ENOMEM;
		return -1;
	}
	error = put_content(zip, from, deflates ? &stream : NULL, content);
	if (deflates)
		deflateEnd(&stream);
	content->packed = zip->offset - begin;
	return error;
}

static void directory_put(struct zip *zip, const void *bytes, size_t length)
{
	if (zip->directory_bytes + length > zip->directory_room) {
		zip->directory_room = 2 * (zip->directory_bytes + length);
		zip->directory = memory_grow(zip->directory, zip->directory_room, 1);
	}
	memcpy(zip->directory + zip->directory_bytes, bytes, length);
	zip->directory_bytes += length;
}

static bool name_is_utf8(const char *name)
{
	size_t length = strlen(name), bytes;
	uint32_t character;

	for (; length; name += bytes, length -= bytes)
		if (!(bytes = text_decode(name, length, &character)))
			return false;
	return true;
}

static void part_fill(struct zip_part *part, struct zip_wide *wide, const struct content *content)
{
	part->crc = content->crc;
	part->bytes = wide->length ? WIDE_BYTES : (uint32_t)content->bytes;
	part->packed = wide->length ? WIDE_BYTES : (uint32_t)content->packed;
	wide->bytes = content->bytes;
	wide->packed = content->packed;
}

/*
 * A line of the directory. Its ZIP64 numbers follow the name, and the offset of the file follows
 * them.
 */
static void directory_add(struct zip *zip, const char *name, const struct zip_part *part,
			  const struct zip_wide *wide, uint64_t begin)
{
	bool is_far = begin >= zip->wide_from;
	uint16_t sizes = wide->length, extra = (uint16_t)(sizes + (is_far ? sizeof(begin) : 0));
	struct zip_entry entry = { .signature = 0x02014b50,
				   .made_by = MADE_ON_UNIX | VERSION_ZIP64,
				   .part = *part,
				   .external = MODE_OF_FILE,
				   .offset = is_far ? WIDE_BYTES : (uint32_t)begin };
	uint16_t head[2] = { WIDE_ID, extra };

	entry.part.extra_bytes = extra ? (uint16_t)(extra + sizeof(head)) : 0;
	if (extra)
		entry.part.version = VERSION_ZIP64;
	directory_put(zip, &entry, sizeof(entry));
	directory_put(zip, name, strlen(name));
	if (extra)
		directory_put(zip, head, sizeof(head));
	directory_put(zip, &wide->bytes, sizes);
	if (is_far)
		directory_put(zip, &begin, sizeof(begin));
}

/*
 * Adds an open file. The header in front of its bytes has values that are known only behind them,
 * so it is written twice.
 */
static int zip_add_open(struct zip *zip, const char *name, int from, bool deflates, bool is_wide)
{
	struct zip_wide wide = { .id = WIDE_ID, .length = is_wide ? WIDE_LENGTH : 0 };
	size_t wide_bytes = is_wide ? sizeof(wide) : 0;
	struct zip_local local = {
		.signature = 0x04034b50,
		.part = { .version = is_wide ? VERSION_ZIP64 : VERSION,
			  .flags = name_is_utf8(name) ? NAME_IS_UTF8 : 0,
			  .method = deflates ? METHOD_DEFLATED : METHOD_STORED,
			  .date = DATE_NONE,
			  .name_bytes = (uint16_t)strlen(name),
			  .extra_bytes = (uint16_t)wide_bytes },
	};
	struct content content = { .crc = 0 };
	uint64_t begin = zip->offset;

	if (zip_put(zip, &local, sizeof(local)) || zip_put(zip, name, strlen(name)) ||
	    zip_put(zip, &wide, wide_bytes) || zip_put_file(zip, from, deflates, &content))
		return -1;
	if (!is_wide && (content.bytes >= WIDE_BYTES || content.packed >= WIDE_BYTES)) {
		errno = EFBIG;
		return -1;
	}
	part_fill(&local.part, &wide, &content);
	if (!descriptor_write_at(zip->to, &local, sizeof(local), begin) ||
	    !descriptor_write_at(zip->to, &wide, wide_bytes, begin + sizeof(local) + strlen(name)))
		return -1;
	directory_add(zip, name, &local.part, &wide, begin);
	zip->count++;
	return 0;
}

/*
 * Returns whether the sizes of the file must be written as ZIP64, which its header says before they
 * are known.
 */
static bool file_is_wide(const struct zip *zip, int from)
{
	struct stat status;

	return !fstat(from, &status) && (uint64_t)status.st_size + GROWTH >= zip->wide_from;
}

int zip_add(struct zip *zip, const char *name, const char *path, bool deflates)
{
	int from, error, saved;

	if (strlen(name) > UINT16_MAX) {
		errno = EFBIG;
		return -1;
	}
	from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return -1;
	error = zip_add_open(zip, name, from, deflates, file_is_wide(zip, from));
	saved = errno;
	close(from);
	errno = saved;
	return error;
}

static int put_wide_end(struct zip *zip, uint64_t directory)
{
	struct zip_wide_end end = {
		.signature = 0x06064b50,
		.length_behind = offsetof(struct zip_wide_end, locator) -
				 offsetof(struct zip_wide_end, made_by),
		.made_by = MADE_ON_UNIX | VERSION_ZIP64,
		.version = VERSION_ZIP64,
		.count_here = zip->count,
		.count = zip->count,
		.directory_bytes = zip->directory_bytes,
		.offset = directory,
		.locator = 0x07064b50,
		.end_offset = zip->offset,
		.disks = 1,
	};

	return zip_put(zip, &end, sizeof(end));
}

int zip_finish(struct zip *zip)
{
	uint64_t directory = zip->offset;
	bool is_wide = zip->count >= WIDE_FILES || zip->directory_bytes >= zip->wide_from ||
		       directory >= zip->wide_from;
	uint16_t count = is_wide ? WIDE_FILES : (uint16_t)zip->count;
	struct zip_end end = { .signature = 0x06054b50,
			       .count_here = count,
			       .count = count,
			       .directory_bytes = is_wide ? WIDE_BYTES
							  : (uint32_t)zip->directory_bytes,
			       .offset = is_wide ? WIDE_BYTES : (uint32_t)directory };

	if (zip_put(zip, zip->directory, zip->directory_bytes))
		return -1;
	if (is_wide && put_wide_end(zip, directory))
		return -1;
	return zip_put(zip, &end, sizeof(end));
}
