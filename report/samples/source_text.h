/* SPDX-License-Identifier: MIT */
/*
 * A source file of this machine, line by line, and whether a name in a recording means this file.
 */
#ifndef REPORT_SAMPLES_SOURCE_TEXT_H
#define REPORT_SAMPLES_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/session/source.h"

#define SOURCE_TEXT_BYTES_MAX (64u << 20)

struct source_line {
	const char *text;
	size_t length;
};

struct source_text {
	char *bytes;
	const char *path; /* as given; borrowed */
	struct source_line *line;
	size_t count, room;
};

/*
 * Returns false if it cannot be read, is too large, or is no file. Zeroed memory is an empty text.
 */
bool source_text_read(struct source_text *text, const char *path);
void source_text_release(struct source_text *text);

/* Returns whether one path is the end of the other, by whole components. */
bool source_text_is_of(const struct source_text *text, const struct source *source, uint32_t name);
bool paths_match(const char *one, size_t one_length, const char *other, size_t other_length);

#endif
