/* SPDX-License-Identifier: MIT */
/* Texts of a trace for formats that are not JSON: see plain_text.h. */
#include "report/export/plain_text.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/base/text.h"

static void plain_text_reserve(struct plain_text *room, size_t length)
{
	if (length <= room->room)
		return;
	room->room = length * 2;
	room->byte = memory_grow(room->byte, room->room, 1);
}

static bool is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!text[i] || (unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

struct trace_text plain_text_clean(struct plain_text *room, struct trace_text text)
{
	struct trace_text made = { .length = 0 };

	if (is_plain(text.text, text.length))
		return text;
	plain_text_reserve(room, text.length * 3);
	made.text = room->byte;
	for (size_t i = 0, bytes = 0; i < text.length; i += bytes) {
		const char *at = &text.text[i];
		uint32_t character = 0;

		bytes = text_decode(at, text.length - i, &character);
		if (!bytes || !character) {
			memcpy(room->byte + made.length, "\xef\xbf\xbd", 3);
			made.length += 3;
			bytes = 1;
			continue;
		}
		memcpy(room->byte + made.length, at, bytes);
		made.length += bytes;
	}
	return made;
}

static unsigned int hex_value(const char *at)
{
	char digits[5] = { at[0], at[1], at[2], at[3], 0 };

	return (unsigned int)strtoul(digits, NULL, 16);
}

static size_t put_utf8(char *at, unsigned int character)
{
	if (character == 0)
		character = 0xfffd;
	if (character < 0x80) {
		at[0] = (char)character;
		return 1;
	}
	if (character < 0x800) {
		at[0] = (char)(0xc0 | character >> 6);
		at[1] = (char)(0x80 | (character & 0x3f));
		return 2;
	}
	if (character < 0x10000) {
		at[0] = (char)(0xe0 | character >> 12);
		at[1] = (char)(0x80 | (character >> 6 & 0x3f));
		at[2] = (char)(0x80 | (character & 0x3f));
		return 3;
	}
	at[0] = (char)(0xf0 | character >> 18);
	at[1] = (char)(0x80 | (character >> 12 & 0x3f));
	at[2] = (char)(0x80 | (character >> 6 & 0x3f));
	at[3] = (char)(0x80 | (character & 0x3f));
	return 4;
}

/* The character of the escape at `at`, a \u: json_text() has two for what is beyond 16 bits. Returns the length of its escape. */
static size_t escaped_character(const char *at, size_t length, unsigned int *ret_character)
{
	unsigned int low;

	*ret_character = hex_value(at + 2);
	if (*ret_character < 0xd800 || *ret_character > 0xdfff)
		return 6;
	low = length >= 12 && at[6] == '\\' && at[7] == 'u' ? hex_value(at + 8) : 0;
	if (*ret_character > 0xdbff || low < 0xdc00 || low > 0xdfff) {
		*ret_character = 0xfffd; /* half of a pair is no character */
		return 6;
	}
	*ret_character = 0x10000 + ((*ret_character & 0x3ff) << 10) + (low & 0x3ff);
	return 12;
}

/* \", \\ and \uXXXX are all the escapes of sink_json() and json_text(); six bytes become three at most, twelve four. */
struct trace_text plain_text_of_json(struct plain_text *room, struct trace_text json)
{
	struct trace_text made = { "", 0 };

	if (json.length < 2)
		return made;
	if (!memchr(json.text, '\\', json.length))
		return (struct trace_text){ json.text + 1, json.length - 2 };
	plain_text_reserve(room, json.length);
	made.text = room->byte;
	for (size_t i = 1; i + 1 < json.length; i++) {
		char byte = json.text[i];

		if (byte == '\\' && json.text[i + 1] == 'u' && i + 6 < json.length) {
			unsigned int character;

			i += escaped_character(json.text + i, json.length - 1 - i, &character) - 1;
			made.length += put_utf8(room->byte + made.length, character);
			continue;
		}
		if (byte == '\\')
			byte = json.text[++i];
		room->byte[made.length++] = byte;
	}
	return made;
}

void plain_text_release(struct plain_text *room)
{
	free(room->byte);
	*room = (struct plain_text){ 0 };
}
