/* SPDX-License-Identifier: MIT */
/*
 * Tables for people: aligned and never wrapped. On a screen they are not wider than it (layout.h
 * chooses the columns), and long names are shortened. Otherwise nothing is shortened.
 */
#include <stdlib.h>
#include <string.h>

#include "report/table/layout.h"
#include "report/base/symbol.h"
#include "report/base/text.h"
#include "report/table/name_cells.h"
#include "report/table/stack_cells.h"

static void put_spaces(FILE *out, size_t count)
{
	while (count--)
		putc_unlocked(' ', out);
}

/* Prints one cell; the last column of text is not padded. */
static void layout_put(const struct layout *layout, const struct screen *screen, size_t at,
		       const char *text, size_t indent, size_t stack_end)
{
	const char *mark = screen->utf8 ? "\xe2\x80\xa6" : "..";
	size_t length = strlen(text), width = layout->width[at], used,
	       room = width > indent ? width - indent : 1;
	char *shown = memory_grow(NULL, length + 64, 1);

	if (screen->uncut)
		memcpy(shown, text, length + 1);
	else if (layout_column(layout, at)->unit == UNIT_CODE)
		length = text_shorten_end(shown, text, length, room, mark);
	else if (layout_column(layout, at)->unit == UNIT_COMMAND)
		length = text_shorten_command(shown, text, length, room, mark);
	else if (layout_column(layout, at)->unit == UNIT_STACK)
		length = text_shorten_stack_to(shown, text, length, stack_end, room, mark,
					       stack_cells_innermost_is_shown(layout));
	else if (layout_column(layout, at)->unit == UNIT_TEXT)
		length = symbol_shorten(shown, text, length, room, mark);
	else
		length = text_shorten(shown, text, length, room, mark);
	used = text_width(shown, length) + indent;
	room = used < width ? width - used : 0;
	if (column_is_text(layout_column(layout, at))) {
		put_spaces(screen->out, indent);
		fputs(shown, screen->out);
		put_spaces(screen->out, at + 1 < layout->count ? room : 0);
	} else {
		put_spaces(screen->out, room);
		fputs(shown, screen->out);
	}
	free(shown);
}

static void layout_put_row(const struct layout *layout, const struct screen *screen, size_t row)
{
	const struct table *table = layout->document->table;
	struct text_store made = { .chunk = NULL };
	bool first = true;

	for (size_t i = 0; i < layout->count; i++) {
		size_t depth = i == layout->main && row != SIZE_MAX
				       ? layout_depth(layout, table->order[row])
				       : 0;

		if (!layout->width[i])
			continue;
		put_spaces(screen->out, first ? 0 : LAYOUT_GAP);
		first = false;
		if (row == SIZE_MAX)
			layout_put(layout, screen, i, layout_column(layout, i)->header, 0,
				   SIZE_MAX);
		else
			layout_put(layout, screen, i, layout_text(layout, &made, row, i),
				   depth * LAYOUT_INDENT,
				   layout->stack_end ? layout->stack_end[row] : SIZE_MAX);
	}
	text_store_release(&made);
}

/*
 * Prints the columns without room as an option to type, and how many more there are if they do not
 * fit.
 */
static void layout_print_left_out(const struct layout *layout, const struct screen *screen)
{
	static const char head[] = "not shown: --columns ";
	size_t used = sizeof(head) - 1, named = 0, more = 0;

	for (size_t i = 0; i < layout->count; i++) {
		const char *name = layout_column(layout, i)->name;

		if (layout->width[i])
			continue;
		if (used + 1 + strlen(name) > screen->width) {
			more++;
			continue;
		}
		screen_print(screen, SCREEN_DIM, "%s%s", named++ ? "," : head, name);
		used += 1 + strlen(name);
	}
	if (named)
		putc('\n', screen->out);
	if (more)
		screen_print(screen, SCREEN_DIM, "and %zu more column%s: prof-report %s --help\n",
			     more, more == 1 ? "" : "s", layout->document->report);
}

/* " at function (file.c:12)", shortened to the screen. */
static void print_frame(const struct screen *screen, const struct table_frame *frame)
{
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;
	struct text_store texts = { .chunk = NULL };
	const char *text = frame->name;
	char *escaped, *shown;
	size_t length;

	if (frame->file && frame->line)
		text = text_store_format(&texts, "%s (%s:%u)", frame->name,
					 slash && slash[1] ? slash + 1 : frame->file, frame->line);
	else if (frame->function && frame->module)
		text = text_store_format(&texts, "%s (%s)", frame->name, frame->module);
	length = strlen(text);
	escaped = memory_zero(text_escape_room(length), 1);
	length = text_escape(escaped, text_escape_room(length), text, length);
	shown = memory_zero(length + 8, 1);
	if (screen->uncut)
		memcpy(shown, escaped, length + 1);
	else
		text_shorten(shown, escaped, length, screen->width > 20 ? screen->width - 4 : 16,
			     screen->utf8 ? "\xe2\x80\xa6" : "..");
	screen_print(screen, SCREEN_DIM, "    %s", shown);
	putc('\n', screen->out);
	free(shown);
	free(escaped);
	text_store_release(&texts);
}

/* The innermost frames of a row's stack, one per line. */
static void print_stack(const struct table *table, const struct screen *screen, size_t row)
{
	size_t room = table->stacks.below, shown;
	struct table_frame *frame;

	if (!table->stacks.frames || !room)
		return;
	frame = memory_zero(room, sizeof(*frame));
	shown = table->stacks.frames(table->stacks.state, row, frame, room);
	for (size_t i = 0; i < shown && i < room; i++)
		print_frame(screen, &frame[i]);
	if (shown > room)
		screen_print(screen, SCREEN_DIM, "    and %zu more\n", shown - room);
	free(frame);
}

void export_table_rows(const struct document *document, const struct screen *screen)
{
	struct layout layout;

	layout_make(&layout, document, screen);
	stack_cells_tell_apart(&layout, screen);
	name_cells_tell_apart(&layout, screen);
	if (screen->color)
		fputs("\033[" SCREEN_BOLD "m", screen->out);
	layout_put_row(&layout, screen, SIZE_MAX);
	if (screen->color)
		fputs("\033[0m", screen->out);
	putc('\n', screen->out);
	for (size_t row = 0; row < document->table->shown; row++) {
		layout_put_row(&layout, screen, row);
		putc('\n', screen->out);
		print_stack(document->table, screen, document->table->order[row]);
	}
	if (!document->head_only)
		layout_print_left_out(&layout, screen);
	layout_release(&layout);
}

void export_table(const struct document *document, const struct screen *screen)
{
	const struct table *table = document->table;
	char count[UNIT_TEXT_BYTES];

	export_other_losses(document, screen);
	if (!document->says_losses) {
		export_losses(document->source, screen);
		export_limitations(document->source, document->families, screen);
	}
	if (document->scope)
		screen_print_prose(screen, "%s", document->scope);
	if (document->head)
		document->head(document, screen);
	if (document->head_only)
		return;
	if (table->passed == table->pinned) {
		const char *empty = document->empty ? document->empty
						    : "nothing of this kind was recorded";

		screen_print_prose(screen, "%s",
				   table->row_count ? "no row meets --filter" : empty);
		return;
	}
	export_table_rows(document, screen);
	if (table->shown < table->passed)
		screen_print(screen, SCREEN_DIM, "%s more row%s (--limit 0 shows all)\n",
			     unit_format_count(count, table->passed - table->shown),
			     table->passed - table->shown == 1 ? "" : "s");
	if (table->stacks.note && table->stacks.note(table->stacks.state))
		screen_print_prose(screen, "%s", table->stacks.note(table->stacks.state));
	if (document->foot)
		document->foot(document, screen);
}
