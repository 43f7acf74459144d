/* SPDX-License-Identifier: MIT */
/* The native functions in which the CPU time was used, if native stacks were sampled. */
#include "report/summary/summary.h"

#include <stdio.h>
#include <string.h>

#include "report/base/text.h"
#include "report/native/native_rows.h"

#define SAMPLES_MIN 20u /* with fewer samples, a share is called a guess */
#define GUESS_MIN 5u    /* with fewer samples, there is not even a guess */
#define PERCENT_MIN 5.0
#define SHOWN 3u
#define NAME_BYTES 96u

static double summary_native_percent_of(const struct native_reading *native,
					const struct native_counts *counts)
{
	return 100.0 * (double)counts->cpu_ns / (double)native->all.cpu_ns;
}

/*
 * Returns the place with the most samples among those with less than `before`, or with as many that
 * come later. `count`: there is none.
 */
static size_t place_next(const struct native_rows *rows, size_t before)
{
	size_t count = rows->rows.place_count, next = count;

	for (size_t i = 0; i < count; i++) {
		uint64_t own = rows->place[i].self.cpu_ns;
		uint64_t limit = before < count ? rows->place[before].self.cpu_ns : UINT64_MAX;

		if (own > limit || (before < count && own == limit && i <= before))
			continue;
		if (next == count || own > rows->place[next].self.cpu_ns)
			next = i;
	}
	return next;
}

static void summary_native_put_place(const struct native_reading *native, struct native_rows *rows,
				     size_t place, const char *verb, FILE *out)
{
	const char *text = stack_rows_text(&rows->rows, place);
	char percent[UNIT_TEXT_BYTES], name[NAME_BYTES];

	text_escape(name, sizeof(name), text, strlen(text));
	fprintf(out, "%s %s %s",
		unit_format_percent(percent,
				    summary_native_percent_of(native, &rows->place[place].self)),
		verb, name);
}

/* The module stands for functions without names, as in a stripped program. */
static void put_nameless(struct native_rows *rows, size_t place, FILE *out)
{
	const struct named_frame *frame = stack_rows_frame(&rows->rows, place);
	char name[NAME_BYTES];

	if (frame->function || !frame->module || frame->module[0] == '[')
		return;
	text_escape(name, sizeof(name), frame->module, strlen(frame->module));
	fprintf(out, " %s has no names of functions: install its debug symbols.", name);
}

static bool print_places(const struct native_reading *native, struct native_rows *rows,
			 const struct screen *screen)
{
	size_t count = rows->rows.place_count, first = place_next(rows, count), place = first;
	char time[UNIT_TEXT_BYTES];
	struct prose prose;

	if (place == count ||
	    summary_native_percent_of(native, &rows->place[place].self) < PERCENT_MIN)
		return false;
	prose_begin(&prose, screen);
	fprintf(prose.screen.out, "Native functions (%s of CPU time, %s%llu samples): ",
		unit_format_ns(time, native->all.cpu_ns),
		native->all.samples < SAMPLES_MIN ? "a guess: only " : "",
		(unsigned long long)native->all.samples);
	summary_native_put_place(native, rows, place, "in", prose.screen.out);
	for (unsigned int i = 1; i < SHOWN; i++) {
		place = place_next(rows, place);
		if (place == count ||
		    summary_native_percent_of(native, &rows->place[place].self) < PERCENT_MIN)
			break;
		fputs(", ", prose.screen.out);
		summary_native_put_place(native, rows, place, "in", prose.screen.out);
	}
	fputs(" (prof-report native).", prose.screen.out);
	put_nameless(rows, first, prose.screen.out);
	prose_end(&prose, screen);
	return true;
}

bool summary_print_native(const struct summary *summary, const struct screen *screen)
{
	const struct native_reading *native = summary->native;
	const char *why = native_why_none(native);
	struct native_rows rows;
	bool tells;

	if (why && !native->is_said && !native->all.samples)
		screen_print_prose(screen, "%c%s.", why[0] - 'a' + 'A', why + 1);
	if (native->all.samples < GUESS_MIN)
		return false;
	native_rows_init(&rows, summary->source, NULL, STACK_BY_FUNCTION, STACK_COLUMNS_NONE);
	native_rows_make(&rows, native);
	tells = print_places(native, &rows, screen);
	native_rows_release(&rows);
	return tells;
}
