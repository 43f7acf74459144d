/* SPDX-License-Identifier: MIT */
/*
 * Works in place and in one pass. The start of the current word is remembered, and at each slash
 * the output goes back to it, so that only the last component stays.
 */
#include "collector/format/paths.h"

#include <string.h>

#define WORD_ENDS " =:,;\"'\t\n" /* characters after which a path may begin */

size_t command_first_word(char *text, size_t length)
{
	const char *end = memchr(text, ' ', length), *base;

	if (end)
		length = (size_t)(end - text);
	base = path_base_name(text, &length);
	memmove(text, base, length);
	return length;
}

size_t command_base_names(char *text, size_t length)
{
	size_t used = 0, word = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '/') {
			used = word;
			continue;
		}
		text[used++] = text[i];
		if (text[i] && strchr(WORD_ENDS, text[i]))
			word = used;
	}
	return used;
}

const char *path_base_name(const char *path, size_t *length)
{
	const char *slash = memrchr(path, '/', *length);

	if (!slash)
		return path;
	*length -= (size_t)(slash + 1 - path);
	return slash + 1;
}
