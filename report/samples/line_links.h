/* SPDX-License-Identifier: MIT */
/*
 * For a line of the user's own code: where it was called from, and which line of a library it was
 * in when samples were taken; of each, the line with the most time. Memory grows with distinct
 * pairs.
 */
#ifndef REPORT_SAMPLES_LINE_LINKS_H
#define REPORT_SAMPLES_LINE_LINKS_H

#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/base/row_links.h"

enum line_link_kind {
	LINE_LINK_CALLER,  /* the user's own line that called it */
	LINE_LINK_LIBRARY, /* the innermost line behind it */
};

struct line_link {
	size_t line; /* a number in struct lines */
	enum line_link_kind kind;
	uint32_t file, function,
		number; /* of the other line; file and function are indices of names */
	uint64_t weight;
};

/* All zeros is empty once the map is initialized. */
struct line_links {
	struct line_link *link;
	size_t count, room;
	struct map map;       /* hash of kind and line to index */
	struct row_links row; /* of lines; a target is an index */
};

void line_links_init(struct line_links *links);
void line_links_release(struct line_links *links);
void line_links_add(struct line_links *links, const struct line_link *wanted);
/* NULL: the line has no link of that kind. */
const struct line_link *line_links_most(const struct line_links *links, size_t line,
					enum line_link_kind kind);

#endif
