/* SPDX-License-Identifier: MIT */
/* What the formats have in common: cells as text, colours, the banner of losses. */
#include "report/table/export.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/text.h"
#include "report/session/holes.h"
#include "report/session/limitations.h"

#define PROSE_BYTES 1024 /* of a sentence */

const char *const export_format_names[FORMAT_LIMIT] = {
	[FORMAT_TABLE] = "table",       [FORMAT_CSV] = "csv",       [FORMAT_JSON] = "json",
	[FORMAT_MARKDOWN] = "markdown", [FORMAT_FOLDED] = "folded", [FORMAT_SVG] = "svg",
	[FORMAT_PSTATS] = "pstats",
};

bool document_next_rows(const struct document *document)
{
	return document->streamed && table_next_part(document->streamed, document->arrangement);
}

/* A drawing has no place for losses, so they are printed on stderr. */
static void export_drawn(const struct document *document, const struct screen *screen,
			 enum export_format format)
{
	struct screen aside = *screen;

	aside.out = stderr;
	aside.color = false;
	export_losses(document->source, &aside);
	if (document->draw)
		document->draw(document, screen, format);
}

static void export_folded(const struct document *document, const struct screen *screen)
{
	export_drawn(document, screen, FORMAT_FOLDED);
}

static void export_svg(const struct document *document, const struct screen *screen)
{
	export_drawn(document, screen, FORMAT_SVG);
}

static void export_pstats(const struct document *document, const struct screen *screen)
{
	export_drawn(document, screen, FORMAT_PSTATS);
}

void (*const exporters[FORMAT_LIMIT])(const struct document *document,
				      const struct screen *screen) = {
	[FORMAT_TABLE] = export_table,   [FORMAT_CSV] = export_csv,
	[FORMAT_JSON] = export_json,     [FORMAT_MARKDOWN] = export_markdown,
	[FORMAT_FOLDED] = export_folded, [FORMAT_SVG] = export_svg,
	[FORMAT_PSTATS] = export_pstats,
};

const char *export_cell_text(struct text_store *texts, const struct column *column,
			     const struct cell *cell)
{
	char text[UNIT_TEXT_BYTES], *escaped, *shown;
	size_t length;

	switch (cell->kind) {
	case CELL_NUMBER:
		unit_format(text, cell->length ? (enum unit)(cell->length - 1) : column->unit,
			    cell->number);
		return text_store_put(texts, text, strlen(text));
	case CELL_SIGNED:
		unit_format_signed(text,
				   cell->length ? (enum unit)(cell->length - 1) : column->unit,
				   (int64_t)cell->number);
		return text_store_put(texts, text, strlen(text));
	case CELL_REAL:
		if (column->unit == UNIT_PERCENT)
			unit_format_percent(text, cell->real);
		else
			snprintf(text, sizeof(text), "%.4g", cell->real);
		return text_store_put(texts, text, strlen(text));
	case CELL_TEXT:
		escaped = memory_grow(NULL, text_escape_room(cell->length), 1);
		length = text_escape(escaped, text_escape_room(cell->length), cell->text,
				     cell->length);
		shown = text_store_put(texts, escaped, length);
		free(escaped);
		return shown;
	default:
		return "-";
	}
}

void screen_print(const struct screen *screen, const char *color, const char *format, ...)
{
	va_list arguments;

	if (screen->color)
		fprintf(screen->out, "\033[%sm", color);
	va_start(arguments, format);
	vfprintf(screen->out, format, arguments);
	va_end(arguments);
	if (screen->color)
		fputs("\033[0m", screen->out);
}

/* Returns the last space before which the text fits, or else the first one; NULL: there is none. */
static char *prose_break(char *text, size_t room)
{
	char *end = NULL;

	for (char *space = strchr(text, ' '); space; space = strchr(space + 1, ' '))
		if (space > text && (!end || text_width(text, (size_t)(space - text)) <= room))
			end = space;
	return end;
}

static void prose_print(const struct screen *screen, char *text, size_t used, size_t indent)
{
	size_t room = used < screen->width ? screen->width - used : 0;

	while (text_width(text, strlen(text)) > room) {
		char *end = prose_break(text, room);

		if (!end)
			break;
		fprintf(screen->out, "%.*s\n%*s", (int)(end - text), text, (int)indent, "");
		text = end + 1;
		room = indent < screen->width ? screen->width - indent : 0;
	}
	fprintf(screen->out, "%s\n", text);
}

void screen_print_prose(const struct screen *screen, const char *format, ...)
{
	char text[PROSE_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	prose_print(screen, text, 0, 0);
}

void prose_begin(struct prose *prose, const struct screen *screen)
{
	*prose = (struct prose){ .screen = *screen };
	prose->screen.out = open_memstream(&prose->text, &prose->length);
	prose->screen.color = false;
	if (!prose->screen.out)
		prose->screen.out = screen->out;
}

void prose_end(struct prose *prose, const struct screen *screen)
{
	if (prose->screen.out == screen->out) {
		putc('\n', screen->out);
		return;
	}
	fclose(prose->screen.out);
	if (prose->length || prose->used)
		prose_print(screen, prose->text, prose->used, prose->indent);
	free(prose->text);
}

static const char *loss_unit(uint32_t reason)
{
	if (lost_is_of_events(reason))
		return "events";
	return lost_is_of_stacks(reason) ? "stacks" : "libraries";
}

/* What would help next time, printed after the reason; "" if nothing is known to help. */
static const char *loss_remedy(uint32_t reason)
{
	switch (reason) {
	case EVT_LOST_FULL:
		return " (a larger INTERCEPT_BUFFER has more room)";
	case EVT_LOST_NO_RING:
		return ", more threads at once than rings (a larger INTERCEPT_BUFFER has more)";
	default:
		return "";
	}
}

/* When it happened; nothing if that is not known. */
static const char *loss_when(const struct source_loss *loss, uint64_t known_ns, uint64_t end_ns,
			     char *text, size_t bytes)
{
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES];

	text[0] = '\0';
	if (!lost_is_of_events(loss->reason) || loss->from_ns >= loss->to_ns)
		return text;
	unit_format_ns(from, loss->from_ns);
	unit_format_ns(to, loss->to_ns);
	if (loss_is_of_frames(loss->reason) && known_ns < end_ns)
		snprintf(text, bytes, "; recorded until %s of %s", unit_format_ns(from, known_ns),
			 unit_format_ns(to, end_ns));
	else
		snprintf(text, bytes, ", between %s and %s", from, to);
	return text;
}

static void export_loss(struct source *source, const struct source_loss *loss,
			const struct screen *screen)
{
	char count[UNIT_TEXT_BYTES], process[32] = "", when[3 * UNIT_TEXT_BYTES];

	if (loss->process)
		snprintf(process, sizeof(process), " in process %u", loss->process->pid);
	screen_print(screen, SCREEN_RED, "LOST %s %s%s: %s%s%s",
		     unit_format_count(count, loss->count), loss_unit(loss->reason), process,
		     source_loss_text(loss), loss_remedy(loss->reason),
		     loss_when(loss, source_known_ns(source), source_end_ns(source), when,
			       sizeof(when)));
	putc('\n', screen->out);
}

static void export_limitation(void *context, const struct limitation_told *told)
{
	const struct screen *screen = context;
	char where[48], subject[512] = "";

	snprintf(where, sizeof(where), "process %u", told->process->pid);
	if (told->processes > 1)
		snprintf(where, sizeof(where), "%zu processes, first %u", told->processes,
			 told->process->pid);
	if (told->subject)
		text_escape(subject, sizeof(subject), told->subject->text, told->subject->length);
	screen_print(screen, SCREEN_RED, "MISSING in %s: %s%s%s%s", where, *subject ? "'" : "",
		     subject, *subject ? "' " : "", told->sentence);
	putc('\n', screen->out);
}

void export_limitations(const struct source *source, uint64_t families, const struct screen *screen)
{
	limitations_tell(source, families, export_limitation, (void *)screen);
}

#define LOSSES_SHOWN 5
#define WHEN_BYTES 64

/* For one file without its end: until when it has data. */
static const char *file_breaks_off(struct source *source, char *text, size_t bytes)
{
	struct source_file *const *file;
	char time[UNIT_TEXT_BYTES];

	text[0] = '\0';
	if (source_files(source, &file) == 1 && !file[0]->complete && !file[0]->live)
		snprintf(text, bytes, ", recorded until %s",
			 unit_format_ns(time, source_known_ns(source)));
	return text;
}

void export_losses(struct source *source, const struct screen *screen)
{
	const struct source_loss *loss;
	const struct source_fault *fault;
	size_t losses = source_losses(source, &loss), faults = source_faults(source, &fault),
	       shown = 0;
	char when[WHEN_BYTES];

	for (size_t i = 0; i < losses; i++)
		if (loss[i].count && shown++ < LOSSES_SHOWN)
			export_loss(source, &loss[i], screen);
	if (shown > LOSSES_SHOWN)
		screen_print(screen, SCREEN_RED, "and %zu more losses (--format json lists them)\n",
			     shown - LOSSES_SHOWN);
	if (faults) {
		screen_print(screen, SCREEN_RED,
			     "INCOMPLETE: %zu fault%s in the files%s, see prof-report check",
			     faults, faults == 1 ? "" : "s",
			     file_breaks_off(source, when, sizeof(when)));
		putc('\n', screen->out);
	}
	if (shown || faults)
		putc('\n', screen->out);
}

void export_other_losses(const struct document *document, const struct screen *screen)
{
	for (size_t i = 0; i < document->before_count; i++) {
		export_losses(document->before[i], screen);
		export_limitations(document->before[i], document->families, screen);
	}
	for (size_t i = 0; i < document->also_count; i++) {
		export_losses(document->also[i], screen);
		export_limitations(document->also[i], document->families, screen);
	}
}
