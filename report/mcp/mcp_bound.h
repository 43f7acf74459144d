/* SPDX-License-Identifier: MIT */
/*
 * A report's output, bounded while it arrives: of a JSON document the rows that fit, and how many
 * were left out; of text the lines that fit. Numbers stay as they are written. A document is made
 * short (mcp_compact.h), and without members `session` and `columns`. Relies on json.h: each row is
 * a line. Owns its memory.
 */
#ifndef REPORT_MCP_MCP_BOUND_H
#define REPORT_MCP_MCP_BOUND_H

#include <stdbool.h>
#include <stddef.h>

struct mcp_text {
	char *text;
	size_t length, room;
};

enum mcp_part { MCP_HEAD, MCP_ROWS, MCP_TAIL };

struct mcp_bound {
	size_t most_bytes, most_rows;
	bool is_json;
	enum mcp_part part;
	struct mcp_text head, rows, tail, line;
	size_t row_count, kept;
	size_t lines_left_out;   /* of text, or of the head and tail of a document */
	bool line_is_cut;        /* the current line is too long to be kept */
	size_t files;            /* that a document names */
	bool skips, is_in_files; /* the member that the current line is in */
	const char
		*why_empty; /* of a document: why it has no rows; NULL: it says nothing of that */
};

/* Takes the next bytes; a mcp_take. Always true: the number of all rows is wanted. */
bool mcp_bound_take(void *context, const char *bytes, size_t length);
/*
 * Returns the whole, ended by 0, in memory of the bound; valid until it is released. NULL: a
 * document whose head alone is too large.
 */
const char *mcp_bound_finish(struct mcp_bound *bound);
void mcp_bound_release(struct mcp_bound *bound);

#endif
