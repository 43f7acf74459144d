/* SPDX-License-Identifier: MIT */
/*
 * The target of an export: a file, gzipped if its name ends in .gz, or stdout. Collects small
 * pieces in a buffer. Errors are kept: the caller may continue and check at the end.
 *
 * Large: not for the stack. The only user of zlib. One thread.
 */
#ifndef REPORT_EXPORT_SINK_H
#define REPORT_EXPORT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/report.h"

#define SINK_BYTES 65536u
#define SINK_PIECE_BYTES 64u /* room for a number */

struct sink {
	const char *path; /* NULL: stdout. Borrowed */
	int descriptor;
	void *zip;      /* zlib's; NULL: not compressed */
	int error;      /* errno of the first failure, 0: none */
	uint64_t bytes; /* written so far */
	size_t used;
	char buffer[SINK_BYTES];
};

/*
 * Opens `path` (NULL: stdout) for writing anew; `zips`: compress whatever its name is. Refuses
 * files that were read. Returns 0, or -1 with the request's message.
 */
int sink_open(struct sink *sink, struct report_request *request, const char *path, bool zips);
/* Returns 0, or -1 with the request's message if not everything has been written. */
int sink_close(struct sink *sink, struct report_request *request);

void sink_flush(struct sink *sink);
void sink_put_long(struct sink *sink, const char *bytes, size_t length);

static inline void sink_put(struct sink *sink, const char *bytes, size_t length)
{
	if (length > SINK_BYTES - sink->used) {
		sink_put_long(sink, bytes, length);
		return;
	}
	memcpy(sink->buffer + sink->used, bytes, length);
	sink->used += length;
}

static inline void sink_text(struct sink *sink, const char *text)
{
	sink_put(sink, text, strlen(text));
}

void sink_unsigned(struct sink *sink, uint64_t number);
void sink_signed(struct sink *sink, int64_t number);
void sink_hex(struct sink *sink, uint64_t number); /* with 0x */
/* Writes ns as us with three decimals. */
void sink_micros(struct sink *sink, uint64_t ns);
/* printf(), at most 1 KiB; for what is written seldom. */
void sink_print(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Writes a JSON string: valid UTF-8 without control characters, whatever the bytes are; invalid
 * UTF-8 becomes U+FFFD.
 */
void sink_json(struct sink *sink, const char *text, size_t length);
/* The same of any length, as a text that lives as long as `texts`. */
char *sink_json_text(struct text_store *texts, const char *text, size_t length, size_t *ret_length);

/*
 * Compresses `bytes` in zlib's format (RFC 1950); the caller owns the result. Running out of memory
 * ends the program.
 */
char *sink_deflate(const char *bytes, size_t length, size_t *ret_length);

#endif
