/* SPDX-License-Identifier: MIT */
/* Does not use stdio's formatting functions, which would take most of the time of a dump. */
#include "report/base/line.h"

#include <string.h>

#include "report/base/text.h"

#define NUMBER_ROOM 24u

void line_flush(struct line_writer *w)
{
	fwrite(w->buffer, 1, w->used, w->out);
	w->used = 0;
}

static void line_put_bytes(struct line_writer *w, const char *bytes, size_t length)
{
	if (length > sizeof(w->buffer) - w->used)
		line_flush(w);
	if (length > sizeof(w->buffer)) {
		fwrite(bytes, 1, length, w->out);
		return;
	}
	memcpy(w->buffer + w->used, bytes, length);
	w->used += length;
}

void line_put(struct line_writer *w, const char *text)
{
	line_put_bytes(w, text, strlen(text));
}

static void line_writer_put_number(struct line_writer *w, uint64_t number, unsigned int base)
{
	char digits[NUMBER_ROOM];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	line_put_bytes(w, digits + at, sizeof(digits) - at);
}

void line_put_unsigned(struct line_writer *w, uint64_t number)
{
	line_writer_put_number(w, number, 10);
}

void line_put_signed(struct line_writer *w, int64_t number)
{
	if (number < 0)
		line_put_bytes(w, "-", 1);
	line_writer_put_number(w, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);
}

void line_put_hex(struct line_writer *w, uint64_t number)
{
	line_put_bytes(w, "0x", 2);
	line_writer_put_number(w, number, 16);
}

static void line_put_unit(struct line_writer *w, uint32_t unit)
{
	char text[8];

	snprintf(text, sizeof(text), "\\u%04x", unit & 0xffff);
	line_put_bytes(w, text, 6);
}

static void line_put_character(struct line_writer *w, uint32_t character)
{
	static const char plain[] = "\"\\\b\f\n\r\t";
	static const char letter[] = "\"\\bfnrt";
	const char *found = character && character < 0x80 ? strchr(plain, (int)character) : NULL;
	char text[2] = { '\\', (char)character };

	if (found) {
		text[1] = letter[found - plain];
		line_put_bytes(w, text, 2);
	} else if (character >= 0x20 && character < 0x80) {
		line_put_bytes(w, text + 1, 1);
	} else if (character < 0x10000) {
		line_put_unit(w, character);
	} else {
		line_put_unit(w, 0xd800 + ((character - 0x10000) >> 10));
		line_put_unit(w, 0xdc00 + (character & 0x3ff));
	}
}

void line_put_quoted(struct line_writer *w, const char *text, size_t length)
{
	line_put_bytes(w, "\"", 1);
	while (length) {
		uint32_t character;
		size_t bytes = text_decode(text, length, &character);

		if (!bytes) {
			bytes = 1;
			character = 0xdc00 + (unsigned char)*text;
		}
		line_put_character(w, character);
		text += bytes;
		length -= bytes;
	}
	line_put_bytes(w, "\"", 1);
}
