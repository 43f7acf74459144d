/* SPDX-License-Identifier: MIT */
/* See zip.h. Numbers are little-endian, as the machine's are. */
#include "report/pack/zip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "report/base/memory.h"
#include "report/base/text.h"

#define PIECE_BYTES 65536u
#define BYTES_LIMIT 0xffffffffull /* stands for "see ZIP64" */
#define FILES_LIMIT 0xffffu
#define VERSION 20u /* folders and deflate */
#define MADE_ON_UNIX (3u << 8)
#define NAME_IS_UTF8 (1u << 11)
#define METHOD_STORED 0u
#define METHOD_DEFLATED 8u
#define DATE_NONE 0x21u /* 1980-01-01 */
#define MODE_OF_FILE (0100644u << 16)
#define LEVEL 6

struct zip_part { /* 4.3.7 from `version` on, and 4.3.12 */
	uint16_t version, flags, method, time, date;
	uint32_t crc, packed, bytes;
	uint16_t name_bytes, extra_bytes;
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

void zip_init(struct zip *zip, int to)
{
	*zip = (struct zip){ .to = to };
}

void zip_release(struct zip *zip)
{
	free(zip->directory);
}

static int write_at(int to, const void *bytes, size_t length, uint64_t offset)
{
	const char *at = bytes;

	while (length) {
		ssize_t done = pwrite(to, at, length, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		at += done;
		offset += (uint64_t)done;
		length -= (size_t)done;
	}
	return 0;
}

static int zip_put(struct zip *zip, const void *bytes, size_t length)
{
	if (zip->offset + length >= BYTES_LIMIT) {
		errno = EFBIG;
		return -1;
	}
	if (write_at(zip->to, bytes, length, zip->offset))
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

/* `stream`: NULL to store. */
static int put_content(struct zip *zip, int from, z_stream *stream, struct zip_part *part)
{
	uint8_t piece[PIECE_BYTES];
	uint64_t bytes = 0;
	ssize_t length;
	int error = 0;

	while (!error && (length = read_piece(from, piece)) != 0) {
		if (length < 0)
			return -1;
		bytes += (size_t)length;
		part->crc = (uint32_t)crc32(part->crc, piece, (uInt)length);
		if (bytes >= BYTES_LIMIT) {
			errno = EFBIG;
			return -1;
		}
		if (stream) {
			stream->next_in = piece;
			stream->avail_in = (uInt)length;
			error = put_deflated(zip, stream, Z_NO_FLUSH);
		} else {
			error = zip_put(zip, piece, (size_t)length);
		}
	}
	part->bytes = (uint32_t)bytes;
	return error || (stream && put_deflated(zip, stream, Z_FINISH)) ? -1 : 0;
}

static int put_file(struct zip *zip, int from, struct zip_part *part)
{
	uint64_t begin = zip->offset;
	z_stream stream = { .zalloc = Z_NULL };
	bool deflates = part->method == METHOD_DEFLATED;
	int error;

	if (deflates && deflateInit2(&stream, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
				     Z_DEFAULT_STRATEGY) != Z_OK) {
		errno = ENOMEM;
		return -1;
	}
	error = put_content(zip, from, deflates ? &stream : NULL, part);
	if (deflates)
		deflateEnd(&stream);
	part->packed = (uint32_t)(zip->offset - begin);
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

/* The head in front of a file has what is known behind it: it is written twice. */
static int zip_add_open(struct zip *zip, const char *name, int from, bool deflates)
{
	struct zip_local local = {
		.signature = 0x04034b50,
		.part = { .version = VERSION,
			  .flags = name_is_utf8(name) ? NAME_IS_UTF8 : 0,
			  .method = deflates ? METHOD_DEFLATED : METHOD_STORED,
			  .date = DATE_NONE,
			  .name_bytes = (uint16_t)strlen(name) },
	};
	struct zip_entry entry = { .signature = 0x02014b50,
				   .made_by = MADE_ON_UNIX | VERSION,
				   .external = MODE_OF_FILE,
				   .offset = (uint32_t)zip->offset };
	uint64_t begin = zip->offset;

	if (zip_put(zip, &local, sizeof(local)) || zip_put(zip, name, strlen(name)) ||
	    put_file(zip, from, &local.part) || write_at(zip->to, &local, sizeof(local), begin))
		return -1;
	entry.part = local.part;
	directory_put(zip, &entry, sizeof(entry));
	directory_put(zip, name, strlen(name));
	zip->count++;
	return 0;
}

int zip_add(struct zip *zip, const char *name, const char *path, bool deflates)
{
	int from, error, saved;

	if (strlen(name) > UINT16_MAX || zip->count + 1 >= FILES_LIMIT) {
		errno = EFBIG;
		return -1;
	}
	from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return -1;
	error = zip_add_open(zip, name, from, deflates);
	saved = errno;
	close(from);
	errno = saved;
	return error;
}

int zip_finish(struct zip *zip)
{
	struct zip_end end = { .signature = 0x06054b50,
			       .count_here = (uint16_t)zip->count,
			       .count = (uint16_t)zip->count,
			       .directory_bytes = (uint32_t)zip->directory_bytes,
			       .offset = (uint32_t)zip->offset };

	return zip_put(zip, zip->directory, zip->directory_bytes) || zip_put(zip, &end, sizeof(end))
		       ? -1
		       : 0;
}
