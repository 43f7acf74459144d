/* SPDX-License-Identifier: MIT */
/* A line is kept until it is complete, and then goes to one of three parts, or is only counted. */
#include "report/mcp/mcp_bound.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/json.h"
#include "report/base/memory.h"
#include "report/base/units.h"

static const char rows_begin[] = " \"rows\": [";

static void mcp_text_add(struct mcp_text *text, const char *bytes, size_t length)
{
	while (text->room < text->length + length + 1)
		text->text = memory_room(text->text, text->room, &text->room, 1);
	memcpy(text->text + text->length, bytes, length);
	text->length += length;
	text->text[text->length] = '\0';
}

static size_t mcp_bound_used(const struct mcp_bound *bound)
{
	return bound->head.length + bound->rows.length + bound->tail.length;
}

static void bound_add_line(struct mcp_bound *bound, struct mcp_text *part)
{
	if (bound->line_is_cut ||
	    mcp_bound_used(bound) + bound->line.length + 1 > bound->most_bytes) {
		bound->lines_left_out++;
		return;
	}
	mcp_text_add(part, bound->line.text, bound->line.length);
	mcp_text_add(part, "\n", 1);
}

/* The first rows that fit remain: those after one that does not fit are passed over, too. */
static void bound_add_row(struct mcp_bound *bound)
{
	bool was_last = bound->kept == bound->row_count;

	bound->row_count++;
	if (!was_last || bound->kept >= bound->most_rows || bound->line_is_cut ||
	    mcp_bound_used(bound) + bound->line.length + 1 > bound->most_bytes)
		return;
	mcp_text_add(&bound->rows, bound->line.text, bound->line.length);
	mcp_text_add(&bound->rows, "\n", 1);
	bound->kept++;
}

static void bound_end_line(struct mcp_bound *bound)
{
	const struct mcp_text *line = &bound->line;
	size_t begins = sizeof(rows_begin) - 1;

	if (bound->part == MCP_ROWS && line->length && line->text[0] == ' ' && line->text[1] == ']')
		bound->part = MCP_TAIL;
	if (bound->part == MCP_ROWS)
		bound_add_row(bound);
	else
		bound_add_line(bound, bound->part == MCP_HEAD ? &bound->head : &bound->tail);
	if (bound->part == MCP_HEAD && bound->is_json && line->length == begins &&
	    !memcmp(line->text, rows_begin, begins))
		bound->part = MCP_ROWS;
	bound->line.length = 0;
	bound->line_is_cut = false;
}

bool mcp_bound_take(void *context, const char *bytes, size_t length)
{
	struct mcp_bound *bound = context;

	while (length) {
		const char *end = memchr(bytes, '\n', length);
		size_t part = end ? (size_t)(end - bytes) : length;

		if (bound->line.length + part > bound->most_bytes)
			bound->line_is_cut = true;
		else
			mcp_text_add(&bound->line, bytes, part);
		if (end)
			bound_end_line(bound);
		part += end != NULL;
		bytes += part;
		length -= part;
	}
	return true;
}

/* What follows the report's own members: what is missing, and why all is. */
static void bound_write_end(const struct mcp_bound *bound, FILE *out)
{
	struct json json = { .out = out };

	fprintf(out, ",\n \"left_out\": {\"rows\": %zu, \"of\": %zu, \"how\": %s}",
		bound->row_count - bound->kept, bound->row_count,
		bound->kept == bound->row_count ? "null"
						: "\"raise limit and max_bytes, or choose rows by "
						  "filter and columns\"");
	if (bound->why_empty) {
		fputs(",\n \"why_empty\": ", out);
		json_string(&json, NULL, bound->why_empty);
	}
	fputs("\n}\n", out);
}

/* In front of the document's last brace. */
static void bound_say_left_out(struct mcp_bound *bound)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		memory_give_up(1, BUFSIZ);
	bound_write_end(bound, out);
	fclose(out);
	while (bound->tail.length && bound->tail.text[bound->tail.length - 1] != '}')
		bound->tail.length--;
	if (bound->tail.length)
		bound->tail.length--;
	while (bound->tail.length && bound->tail.text[bound->tail.length - 1] == '\n')
		bound->tail.length--;
	mcp_text_add(&bound->tail, text, length);
	free(text);
}

static const char *finish_document(struct mcp_bound *bound)
{
	if (bound->lines_left_out || !bound->head.length)
		return NULL;
	if (bound->part == MCP_HEAD) { /* without rows, all of it is head */
		bound->tail = bound->head;
		bound->head = (struct mcp_text){ NULL, 0, 0 };
	}
	if (bound->rows.length > 1 && bound->kept < bound->row_count &&
	    bound->rows.text[bound->rows.length - 2] == ',')
		bound->rows.text[--bound->rows.length - 1] = '\n';
	bound_say_left_out(bound);
	if (bound->rows.length)
		mcp_text_add(&bound->head, bound->rows.text, bound->rows.length);
	mcp_text_add(&bound->head, bound->tail.text, bound->tail.length);
	return bound->head.text;
}

const char *mcp_bound_finish(struct mcp_bound *bound)
{
	char text[96];
	int length;

	if (bound->line.length || bound->line_is_cut)
		bound_end_line(bound);
	if (bound->is_json)
		return finish_document(bound);
	if (bound->lines_left_out) {
		length = snprintf(text, sizeof(text), "(%zu line%s left out: raise max_bytes)\n",
				  bound->lines_left_out, unit_plural(bound->lines_left_out));
		mcp_text_add(&bound->head, text, (size_t)length);
	}
	return bound->head.length ? bound->head.text : "";
}

void mcp_bound_release(struct mcp_bound *bound)
{
	free(bound->head.text);
	free(bound->rows.text);
	free(bound->tail.text);
	free(bound->line.text);
	*bound = (struct mcp_bound){ .most_bytes = 0 };
}
