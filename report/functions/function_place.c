/* SPDX-License-Identifier: MIT */
/*
 * Splits the name at its first two tabs. The text is FILE:LINE(NAME), or {NAME} for a C function,
 * as pstats prints them.
 */
#include "report/functions/function_place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LIMIT 2147483647u /* CPython's int */

/* If the name has another form, as in a damaged file, all of it is the function's name. */
struct function_place function_place_of(const struct source *source, uint32_t name)
{
	struct function_place place = { .file = "?", .file_length = 1 };
	size_t length;
	const char *text = name_text(source_name_at(source, name), &length);
	const char *first = memchr(text, '\t', length), *second;
	uint64_t line = 0;

	place.name = text;
	place.name_length = length;
	second = first ? memchr(first + 1, '\t', length - (size_t)(first + 1 - text)) : NULL;
	if (!second)
		return place;
	for (const char *at = text; at < first && *at >= '0' && *at <= '9' && line < LINE_LIMIT;
	     at++)
		line = line * 10 + (uint64_t)(*at - '0');
	place.line = line < LINE_LIMIT ? line : 0;
	place.name = first + 1;
	place.name_length = (size_t)(second - place.name);
	place.file = second + 1;
	place.file_length = length - (size_t)(place.file - text);
	return place;
}

const char *function_place_text(struct function_place place, struct text_store *texts,
				size_t *ret_length)
{
	bool is_c = place.file_length == 1 && *place.file == '~' && !place.line;
	char *text = memory_grow(NULL, place.file_length + place.name_length + 32, 1);
	const char *stored;
	size_t used = 0;

	if (!is_c) {
		memcpy(text, place.file, place.file_length);
		used = place.file_length;
		used += (size_t)sprintf(text + used, ":%" PRIu64, place.line);
	} else if (place.name_length > 1 && place.name[0] == '<' &&
		   place.name[place.name_length - 1] == '>') { /* pstats prints {...} for <...> */
		place.name++;
		place.name_length -= 2;
	}
	text[used++] = is_c ? '{' : '(';
	memcpy(text + used, place.name, place.name_length);
	used += place.name_length;
	text[used++] = is_c ? '}' : ')';
	stored = text_store_put(texts, text, used);
	free(text);
	*ret_length = used;
	return stored;
}
