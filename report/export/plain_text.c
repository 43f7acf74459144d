/* SPDX-License-Identifier: MIT */
/* Texts of a trace for formats other than JSON: replaces invalid UTF-8 and NUL by U+FFFD. */
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

void plain_text_release(struct plain_text *room)
{
	free(room->byte);
	*room = (struct plain_text){ 0 };
}
