/* SPDX-License-Identifier: MIT */
/*
 * Lines of plain text, collected in a buffer and written in large pieces: a dump has one line for
 * each of millions of events.
 */
#ifndef REPORT_BASE_LINE_H
#define REPORT_BASE_LINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LINE_BUFFER_BYTES 65536u

struct line_writer {
	FILE *out;
	size_t used;
	char buffer[LINE_BUFFER_BYTES];
};

void line_flush(struct line_writer *w);
void line_put(struct line_writer *w, const char *text);
void line_put_unsigned(struct line_writer *w, uint64_t number);
void line_put_signed(struct line_writer *w, int64_t number);
void line_put_hex(struct line_writer *w, uint64_t number); /* with 0x */
/*
 * A JSON string of ASCII characters only: \" \\ \b \f \n \r \t and \uXXXX for what is not printable
 * ASCII (DEL is left), as surrogate pairs above U+FFFF. A byte B that is not UTF-8 is \udcB. This
 * equals json.dumps(bytes.decode("utf-8", "surrogateescape")) in Python.
 */
void line_put_quoted(struct line_writer *w, const char *text, size_t length);

#endif
