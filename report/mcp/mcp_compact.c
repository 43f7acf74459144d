/* SPDX-License-Identifier: MIT */
/* What is kept moves to the front. A member is taken back when its value turns out to be null. */
#include "report/mcp/mcp_compact.h"

#include <stdbool.h>
#include <string.h>

/* The end of the string that begins at `at`. */
static size_t compact_string_end(const char *text, size_t length, size_t at)
{
	for (at++; at < length && text[at] != '"'; at++)
		if (text[at] == '\\')
			at++;
	return at < length ? at + 1 : length;
}

static bool compact_is_blank(char byte)
{
	return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

static bool compact_is_null(const char *text, size_t length, size_t at, size_t kept)
{
	return kept && text[kept - 1] == ':' && length - at >= 4 && !memcmp(text + at, "null", 4);
}

size_t mcp_compact(char *text, size_t length)
{
	size_t kept = 0, last_string = 0;
	bool drops_comma = false; /* the first member of an object was null */

	for (size_t at = 0, end; at < length; at = end) {
		end = at + 1;
		if (compact_is_blank(text[at]) || (drops_comma && text[at] == ','))
			continue;
		drops_comma = false;
		if (compact_is_null(text, length, at, kept)) {
			kept = last_string;
			kept -= kept && text[kept - 1] == ',';
			drops_comma = kept && text[kept - 1] == '{';
			end = at + 4;
			continue;
		}
		if (text[at] == '"') {
			end = compact_string_end(text, length, at);
			last_string = kept;
		}
		memmove(text + kept, text + at, end - at);
		kept += end - at;
	}
	return kept;
}
