/* SPDX-License-Identifier: MIT */
/*
 * CSV for programs: RFC 4180, a header line, raw numbers, "\n" line ends. Text that a spreadsheet
 * would take for a formula gets a ' before it, which spreadsheets take for "this is text".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/table/export.h"
#include "report/base/text.h"

static bool text_is_formula(const char *text, size_t length)
{
	return length && *text && strchr("=+-@\t\r", *text);
}

/* True if the text is written unchanged: nothing to escape, quote or mark. */
static bool text_is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~' || text[i] == ',' || text[i] == '"')
			return false;
	return true;
}

static void csv_put_text(FILE *out, const char *text, size_t length, bool raw)
{
	size_t room = text_escape_room(length) + 1, mark = !raw && text_is_formula(text, length);
	char *shown;

	if (!mark && text_is_plain(text, length)) {
		if (length)
			fwrite_unlocked(text, 1, length, out);
		return;
	}
	shown = memory_grow(NULL, room, 1);
	*shown = '\'';
	length = mark + text_escape(shown + mark, room - mark, text, length);
	if (!strpbrk(shown, ",\" ")) {
		fputs(shown, out);
	} else {
		putc_unlocked('"', out);
		for (size_t i = 0; i < length; i++) {
			if (shown[i] == '"')
				putc_unlocked('"', out);
			putc_unlocked(shown[i], out);
		}
		putc_unlocked('"', out);
	}
	free(shown);
}

/* Written by hand because there are millions of numbers: printf() takes several times as long. */
static void csv_put_number(FILE *out, uint64_t number)
{
	char digits[20], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	fwrite_unlocked(at, 1, (size_t)(digits + sizeof(digits) - at), out);
}

static void csv_put_cell(FILE *out, const struct cell *cell, bool raw)
{
	switch (cell->kind) {
	case CELL_NUMBER:
		csv_put_number(out, cell->number);
		break;
	case CELL_SIGNED:
		fprintf(out, "%" PRId64, (int64_t)cell->number);
		break;
	case CELL_REAL:
		fprintf(out, "%.6g", cell->real);
		break;
	case CELL_TEXT:
		csv_put_text(out, cell->text, cell->length, raw);
		break;
	}
}

static void csv_put_rows(const struct document *document, const struct screen *screen)
{
	const struct table *table = document->table;

	for (size_t row = 0; row < table->shown; row++) {
		table_make_row(table, table->order[row]);
		if (screen->session.name) {
			csv_put_text(screen->out, screen->session.name,
				     strlen(screen->session.name), document->raw);
			putc(',', screen->out);
		}
		for (size_t i = 0; i < document->shown_count; i++) {
			if (i)
				putc_unlocked(',', screen->out);
			csv_put_cell(screen->out,
				     table_cell(table, table->order[row], document->shown[i]),
				     document->raw);
		}
		putc_unlocked('\n', screen->out);
	}
}

void export_csv(const struct document *document, const struct screen *screen)
{
	const struct table *table = document->table;

	if (!screen->session.name || screen->session.is_first) {
		fputs(screen->session.name ? "file," : "", screen->out);
		for (size_t i = 0; i < document->shown_count; i++)
			fprintf(screen->out, "%s%s", i ? "," : "",
				table->column[document->shown[i]]->name);
		putc('\n', screen->out);
	}
	do
		csv_put_rows(document, screen);
	while (document_next_rows(document));
}
