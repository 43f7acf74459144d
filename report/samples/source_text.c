/* SPDX-License-Identifier: MIT */
/*
 * The file is read as a whole and cut at newlines. A recorded path matches if one of the two paths
 * is the end of the other, from a slash on.
 */
#include "report/samples/source_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/base/confine.h"
#include "report/base/memory.h"
#include "report/samples/sample_events.h"

static char *source_text_read_all(const char *path, size_t *ret_length)
{
	struct stat about;
	FILE *file = fopen(path, "re");
	char *bytes = NULL;

	if (file && confine_allows(fileno(file)) && fstat(fileno(file), &about) == 0 &&
	    S_ISREG(about.st_mode) && about.st_size <= (off_t)SOURCE_TEXT_BYTES_MAX) {
		bytes = memory_zero((size_t)about.st_size + 1, 1);
		*ret_length = fread(bytes, 1, (size_t)about.st_size, file);
	}
	if (file)
		fclose(file);
	return bytes;
}

bool source_text_read(struct source_text *text, const char *path)
{
	size_t length = 0, at = 0;

	*text = (struct source_text){ .path = path };
	text->bytes = source_text_read_all(path, &length);
	while (text->bytes && at < length) {
		const char *end = memchr(text->bytes + at, '\n', length - at);
		size_t line = end ? (size_t)(end - text->bytes) - at : length - at;

		text->line = memory_room(text->line, text->count, &text->room, sizeof(*text->line));
		text->line[text->count++] = (struct source_line){ text->bytes + at, line };
		at += line + 1;
	}
	return text->count != 0;
}

void source_text_release(struct source_text *text)
{
	free(text->bytes);
	free(text->line);
	*text = (struct source_text){ 0 };
}

bool paths_match(const char *one, size_t one_length, const char *other, size_t other_length)
{
	while (one_length > 2 && memcmp(one, "./", 2) == 0) {
		one += 2;
		one_length -= 2;
	}
	while (other_length > 2 && memcmp(other, "./", 2) == 0) {
		other += 2;
		other_length -= 2;
	}
	if (one_length < other_length)
		return paths_match(other, other_length, one, one_length);
	if (!other_length || memcmp(one + (one_length - other_length), other, other_length) != 0)
		return false;
	return one_length == other_length || other[0] == '/' ||
	       one[one_length - other_length - 1] == '/';
}

bool source_text_is_of(const struct source_text *text, const struct source *source, uint32_t name)
{
	size_t length;
	const char *path;

	if (name == SAMPLE_NONE)
		return false;
	path = name_text(source_name_at(source, name), &length);
	return paths_match(path, length, text->path, strlen(text->path));
}
