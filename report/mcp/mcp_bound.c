/* SPDX-License-Identifier: MIT */
/* A line is kept until it is complete; then it goes to one of three parts, or is only counted. */
#include "report/mcp/mcp_bound.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/json.h"
#include "report/base/memory.h"
#include "report/base/units.h"
#include "report/mcp/mcp_compact.h"

#define FILES_MOST 4u
#define PART_MOST (1u << 20) /* bytes, before they are made short */
#define END_MOST 200u        /* of what is said of what is left out */

static const char rows_begin[] = " \"rows\": [";

static void mcp_text_add(struct mcp_text *text, const char *bytes, size_t length)
{
	while (text->room < text->length + length + 1)
		text->text = memory_room(text->text, text->room, &text->room, 1);
	memcpy(text->text + text->length, bytes, length);
	text->length += length;
	text->text[text->length] = '\0';
}

/* Of text. */
static void bound_add_line(struct mcp_bound *bound)
{
	if (bound->line_is_cut || bound->head.length + bound->line.length + 1 > bound->most_bytes) {
		bound->lines_left_out++;
		return;
	}
	mcp_text_add(&bound->head, bound->line.text, bound->line.length);
	mcp_text_add(&bound->head, "\n", 1);
}

/* A member of the document itself begins a line with one blank. */
static bool bound_is_member(const struct mcp_text *line, const char *name)
{
	return line->length >= strlen(name) && !memcmp(line->text, name, strlen(name));
}

/*
 * Units are in the names of columns, and explain_column has them. What the sessions are, first
 * screens have. A job may have thousands of files.
 */
static bool bound_skips(struct mcp_bound *bound)
{
	const struct mcp_text *line = &bound->line;

	if (bound_is_member(line, " \"")) {
		bound->skips = bound_is_member(line, " \"session\"") ||
			       bound_is_member(line, " \"before\"") ||
			       bound_is_member(line, " \"columns\"");
		bound->is_in_files = bound_is_member(line, " \"files\"");
		return bound->skips;
	}
	if (!bound->is_in_files || !bound_is_member(line, "  {"))
		return bound->skips;
	return ++bound->files > FILES_MOST;
}

/* Head and tail of a document. Commas after the last member are those of lines that are skipped. */
static void bound_add_member(struct mcp_bound *bound, struct mcp_text *part)
{
	const struct mcp_text *line = &bound->line;

	if (bound->line_is_cut || part->length + line->length > PART_MOST) {
		bound->lines_left_out++;
		return;
	}
	if (bound_skips(bound))
		return;
	if (line->length > 1 && (line->text[1] == ']' || line->text[1] == '}') && part->length &&
	    part->text[part->length - 1] == ',')
		part->length--;
	mcp_text_add(part, line->text, line->length);
}

/* The first rows that fit remain: those after one that does not fit are passed over, too. */
static void bound_add_row(struct mcp_bound *bound)
{
	bool was_last = bound->kept == bound->row_count;
	struct mcp_text *line = &bound->line;

	bound->row_count++;
	if (!was_last || bound->kept >= bound->most_rows || bound->line_is_cut)
		return;
	line->length = mcp_compact(line->text, line->length);
	if (line->length && line->text[line->length - 1] == ',')
		line->length--;
	if (bound->rows.length + line->length + 2 > bound->most_bytes)
		return;
	mcp_text_add(&bound->rows, line->text, line->length);
	mcp_text_add(&bound->rows, ",\n", 2);
	bound->kept++;
}

static void bound_end_line(struct mcp_bound *bound)
{
	const struct mcp_text *line = &bound->line;

	if (!bound->is_json) {
		bound_add_line(bound);
	} else if (bound->part == MCP_ROWS && !bound_is_member(line, " ]")) {
		bound_add_row(bound);
	} else {
		bound->part += bound->part == MCP_ROWS;
		bound_add_member(bound, bound->part == MCP_HEAD ? &bound->head : &bound->tail);
		bound->part += bound->part == MCP_HEAD && line->length == sizeof(rows_begin) - 1 &&
			       bound_is_member(line, rows_begin);
	}
	bound->line.length = 0;
	bound->line_is_cut = false;
}

bool mcp_bound_take(void *context, const char *bytes, size_t length)
{
	struct mcp_bound *bound = context;

	while (length) {
		const char *end = memchr(bytes, '\n', length);
		size_t part = end ? (size_t)(end - bytes) : length;

		if (bound->line.length + part > (bound->is_json ? PART_MOST : bound->most_bytes))
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

	fprintf(out, ",\n\"left_out\":{\"rows\":%zu,\"of\":%zu", bound->row_count - bound->kept,
		bound->row_count);
	if (bound->files > FILES_MOST)
		fprintf(out, ",\"files\":%zu", bound->files - FILES_MOST);
	if (bound->kept < bound->row_count)
		fputs(",\"how\":\"raise limit and max_bytes, or choose rows by filter and "
		      "columns\"",
		      out);
	fputc('}', out);
	if (bound->why_empty) {
		fputs(",\n\"why_empty\":", out);
		json_string(&json, NULL, bound->why_empty);
	}
	fputs("}\n", out);
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
	mcp_text_add(&bound->tail, text, length);
	free(text);
}

static void bound_compact(struct mcp_text *part)
{
	part->length = part->length ? mcp_compact(part->text, part->length) : 0;
}

/* Rows are left out from the end, until all fits; what is said of them is counted, too. */
static void bound_fit_rows(struct mcp_bound *bound)
{
	size_t around = bound->head.length + bound->tail.length + END_MOST +
			(bound->why_empty ? 2 * strlen(bound->why_empty) : 0);

	while (bound->kept && around + bound->rows.length > bound->most_bytes) {
		bound->rows.length -= 2;
		while (bound->rows.length && bound->rows.text[bound->rows.length - 1] != '\n')
			bound->rows.length--;
		bound->kept--;
	}
	if (around > bound->most_bytes)
		bound->lines_left_out++;
}

static const char *finish_document(struct mcp_bound *bound)
{
	if (bound->part == MCP_HEAD) { /* without rows, all of it is head */
		bound->tail = bound->head;
		bound->head = (struct mcp_text){ NULL, 0, 0 };
	}
	bound_compact(&bound->head);
	bound_compact(&bound->tail);
	if (bound->tail.length)
		bound->tail.length--; /* the last brace */
	bound_fit_rows(bound);
	if (bound->lines_left_out || !bound->tail.length)
		return NULL;
	bound_say_left_out(bound);
	if (bound->rows.length) {
		mcp_text_add(&bound->head, "\n", 1);
		mcp_text_add(&bound->head, bound->rows.text, bound->rows.length - 2);
	}
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
