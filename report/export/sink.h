/* SPDX-License-Identifier: MIT */
/*
 * Where an export goes: a file, gzipped when its name ends in .gz, or stdout. Gathers small pieces in a buffer. What
 * fails is kept: the caller may go on and ask at the end.
 *
 * Large: not for the stack. The one user of zlib. One thread.
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
#define SINK_PIECE_BYTES 64u /* room that a number needs */

struct sink {
	const char *path; /* NULL: stdout. Borrowed */
	int descriptor;
	void *zip;      /* of zlib; NULL: not compressed */
	int error;      /* errno of what failed first, 0: nothing did */
	uint64_t bytes; /* put so far */
	size_t used;
	char buffer[SINK_BYTES];
};

/*
 * Opens `path`, NULL for stdout, to be written anew; `zips` whatever its name is. Refuses files that were read. 0, or -1
 * with the request's message.
 */
int sink_open(struct sink *sink, struct report_request *request, const char *path, bool zips);
/* 0, or -1 with the request's message when not all has been written. */
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
/* ns as us with three decimals. */
void sink_micros(struct sink *sink, uint64_t ns);
/* printf(), at most 1 KiB; for what is written seldom. */
void sink_print(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A JSON string: valid UTF-8 without control characters, whatever the bytes are; what is no UTF-8 becomes U+FFFD. */
void sink_json(struct sink *sink, const char *text, size_t length);
/* The same, however long it is, as a text that lives as long as `texts`. */
char *sink_json_text(struct text_store *texts, const char *text, size_t length, size_t *ret_length);

/* `bytes` as zlib has them (RFC 1950); owned by the caller. Running out of memory ends the program. */
char *sink_deflate(const char *bytes, size_t length, size_t *ret_length);

#endif
