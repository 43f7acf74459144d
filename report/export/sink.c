/* SPDX-License-Identifier: MIT */
/* Buffered output to a file, a gzip stream or stdout. */
#include "report/export/sink.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "report/base/memory.h"
#include "report/base/text.h"

/* names and numbers shrink to a tenth at any level, and this one is the fastest */
#define ZIP_MODE "wb1"
#define DIGITS_MAX 20u
#define DEFLATE_LEVEL 6

static bool name_zips(const char *path)
{
	size_t length = path ? strlen(path) : 0;

	return length > 3 && !strcmp(path + length - 3, ".gz");
}

int sink_open(struct sink *sink, struct report_request *request, const char *path, bool zips)
{
	sink->path = path;
	sink->zip = NULL;
	sink->error = 0;
	sink->bytes = sink->used = 0;
	fflush(stdout);
	sink->descriptor = path ? request_open_file(request, path, false) : dup(STDOUT_FILENO);
	if (sink->descriptor < 0) {
		if (!path)
			snprintf(request->message, sizeof(request->message),
				 "cannot write to stdout: %s; name a file with -o",
				 strerror(errno));
		return -1;
	}
	if (!zips && !name_zips(path))
		return 0;
	sink->zip = gzdopen(sink->descriptor, ZIP_MODE);
	if (sink->zip)
		return 0;
	close(sink->descriptor);
	snprintf(request->message, sizeof(request->message),
		 "cannot compress '%.300s': no memory; leave .gz out of its name",
		 path ? path : "stdout");
	return -1;
}

static void sink_fail(struct sink *sink)
{
	if (!sink->error)
		sink->error = errno ? errno : EIO;
}

static void sink_write(struct sink *sink, const char *bytes, size_t length)
{
	sink->bytes += length;
	while (length && !sink->error) {
		unsigned int piece = length < 1u << 30 ? (unsigned int)length : 1u << 30;
		ssize_t written;

		errno = 0;
		written = sink->zip ? gzwrite(sink->zip, bytes, piece)
				    : write(sink->descriptor, bytes, piece);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			sink_fail(sink);
			return;
		}
		bytes += written;
		length -= (size_t)written;
	}
}

void sink_flush(struct sink *sink)
{
	sink_write(sink, sink->buffer, sink->used);
	sink->used = 0;
}

int sink_close(struct sink *sink, struct report_request *request)
{
	sink_flush(sink);
	errno = 0;
	if (sink->zip ? gzclose(sink->zip) != Z_OK : close(sink->descriptor) != 0)
		sink_fail(sink);
	sink->zip = NULL;
	if (!sink->error)
		return 0;
	snprintf(request->message, sizeof(request->message),
		 "cannot write '%.300s': %s; it is incomplete", sink->path ? sink->path : "stdout",
		 strerror(sink->error));
	return -1;
}

void sink_put_long(struct sink *sink, const char *bytes, size_t length)
{
	sink_flush(sink);
	if (length >= SINK_BYTES) {
		sink_write(sink, bytes, length);
		return;
	}
	memcpy(sink->buffer, bytes, length);
	sink->used = length;
}

/* Writes the digits before `end`; returns where they begin. */
static char *digits(char *end, uint64_t number)
{
	do {
		*--end = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return end;
}

void sink_unsigned(struct sink *sink, uint64_t number)
{
	char text[DIGITS_MAX], *from = digits(text + sizeof(text), number);

	sink_put(sink, from, (size_t)(text + sizeof(text) - from));
}

void sink_signed(struct sink *sink, int64_t number)
{
	if (number < 0)
		sink_put(sink, "-", 1);
	sink_unsigned(sink, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

void sink_hex(struct sink *sink, uint64_t number)
{
	char text[SINK_PIECE_BYTES];
	int length = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)number);

	sink_put(sink, text, (size_t)length);
}

void sink_micros(struct sink *sink, uint64_t ns)
{
	char text[DIGITS_MAX + 4], *end = text + sizeof(text), *from;
	unsigned int rest = (unsigned int)(ns % 1000);

	*--end = (char)('0' + rest % 10);
	*--end = (char)('0' + rest / 10 % 10);
	*--end = (char)('0' + rest / 100);
	*--end = '.';
	from = digits(end, ns / 1000);
	sink_put(sink, from, (size_t)(text + sizeof(text) - from));
}

void sink_print(struct sink *sink, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length > 0)
		sink_put(sink, text,
			 (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

/* Bytes that a JSON string contains unescaped. */
static size_t plain_length(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && (unsigned char)text[at] >= 0x20 && (unsigned char)text[at] < 0x7f &&
	       text[at] != '"' && text[at] != '\\')
		at++;
	return at;
}

void sink_json(struct sink *sink, const char *text, size_t length)
{
	sink_put(sink, "\"", 1);
	while (length) {
		size_t bytes = plain_length(text, length);
		uint32_t character = 0;

		sink_put(sink, text, bytes);
		text += bytes;
		length -= bytes;
		if (!length)
			break;
		bytes = text_decode(text, length, &character);
		if (!bytes)
			sink_text(sink, "\xef\xbf\xbd");
		else if (character == '"' || character == '\\')
			sink_print(sink, "\\%c", (int)character);
		else if (character < 0x10000 &&
			 (character < 0x20 || character == 0x7f || !text_is_shown(character)))
			sink_print(sink, "\\u%04x", character);
		else
			sink_put(sink, text, bytes);
		text += bytes ? bytes : 1;
		length -= bytes ? bytes : 1;
	}
	sink_put(sink, "\"", 1);
}

/* Bytes of the text that the sink has room for when escaped; no character is cut in two. */
static size_t piece_length(const char *text, size_t length)
{
	size_t piece = SINK_BYTES / 8;

	if (length <= piece)
		return length;
	for (int i = 0; i < 3 && ((unsigned char)text[piece] & 0xc0) == 0x80; i++)
		piece--;
	return piece;
}

char *sink_json_text(struct text_store *texts, const char *text, size_t length, size_t *ret_length)
{
	struct sink *sink = memory_grow(NULL, 1, sizeof(*sink)); /* only for its buffer */
	char *json = NULL, *kept;
	size_t used = 0;

	do {
		size_t piece = piece_length(text, length);

		used -= used != 0; /* a quote ends the previous piece, and one begins this piece */
		sink->used = 0;
		sink_json(sink, text, piece);
		json = memory_grow(json, used + sink->used, 1);
		memcpy(json + used, sink->buffer + (used != 0), sink->used - (used != 0));
		used += sink->used - (used != 0);
		text += piece;
		length -= piece;
	} while (length);
	kept = text_store_put(texts, json, used);
	*ret_length = used;
	free(json);
	free(sink);
	return kept;
}

char *sink_deflate(const char *bytes, size_t length, size_t *ret_length)
{
	uLongf room = compressBound(length);
	char *packed = memory_grow(NULL, room, 1);

	if (compress2((Bytef *)packed, &room, (const Bytef *)bytes, length, DEFLATE_LEVEL) != Z_OK)
		/* only for lack of memory: the room is never too small */
		memory_grow(NULL, SIZE_MAX, 1);
	*ret_length = room;
	return packed;
}
