/* SPDX-License-Identifier: MIT */
/*
 * The summary's sentences on lines of Python: where sampled CPU time was used, and where a thread
 * waited.
 */
#include <stdio.h>
#include <string.h>

#include "report/base/text.h"
#include "report/options/keys.h"
#include "report/samples/lines.h"
#include "report/samples/uncertain.h"
#include "report/summary/summary_screen.h"
#include "report/table/cells.h"

/* with fewer samples, a share of 20 % is off by 8 points more often than not */
#define LOOKS_MIN 100u
/* so many are enough to name the line with the most, if it has half of them */
#define FEW_LOOKS_MIN 5u
#define PERCENT_MIN 3u
#define WAIT_PART 2u /* one in so many: a wait of a smaller part of the run is not mentioned */
/* one in so many: a line with a smaller part of all waits is not named */
#define WAIT_SHOWN_PART 10
#define SHOWN 2u
#define PLACE_BYTES 200u

/* If there are steps, only lines inside of them count; of a server, those while it served. */
static bool are_of_steps(const struct summary *summary)
{
	const struct options *options = run_options(summary->run);

	return samples_have_steps(summary->samples) && !run_filters(summary->run)->any &&
	       !(options && options->of_report[REPORT_OPTION_frames].choice);
}

static const struct sample_counts *all_of(const struct summary *summary)
{
	return are_of_steps(summary) ? &summary->samples->steps : &summary->samples->all;
}

/* Makes lines of the user's own code; `own` must be released after them. */
static void make_lines(const struct summary *summary, struct lines *lines, struct own *own,
		       enum lines_by by)
{
	own_init(own, summary->source, run_options(summary->run));
	lines_make_own(lines, summary->samples, by, own, are_of_steps(summary));
}

static void release_lines(struct lines *lines, struct own *own)
{
	lines_release(lines);
	own_release(own);
}

static uint64_t summary_lines_percent_of(const struct summary *summary, const struct line *line)
{
	uint64_t all_ns = all_of(summary)->cpu_ns;

	return all_ns ? (line->self.cpu_ns * 100 + all_ns / 2) / all_ns : 0;
}

/*
 * Returns whether the line may be named: not Python's import code, which has a sentence and a
 * report of its own.
 */
static bool summary_lines_is_named(const struct summary *summary, const struct line *line)
{
	size_t length;
	const char *text;

	if (line->file == SAMPLE_NONE)
		return false;
	text = name_text(source_name_at(summary->source, line->file), &length);
	return !own_is_import(text, length);
}

/*
 * Returns the line with the most time among those with less than `below`, or with as much that come
 * later.
 */
static const struct line *next_line(const struct summary *summary, const struct lines *lines,
				    const struct line *below)
{
	const struct line *most = NULL;

	for (size_t i = 0; i < lines->count; i++) {
		const struct line *line = &lines->line[i];
		bool is_left = !below || line->self.cpu_ns < below->self.cpu_ns ||
			       (line->self.cpu_ns == below->self.cpu_ns && line > below);

		if (is_left && (!most || line->self.cpu_ns > most->self.cpu_ns) &&
		    summary_lines_is_named(summary, line))
			most = line;
	}
	return most;
}

/* All of a program is inside of its module's code, so only the module's own time is informative. */
static bool is_of_module(const struct summary *summary, const struct line *line)
{
	static const char module[] = "<module>";
	size_t length;
	const char *text = name_text(source_name_at(summary->source, line->function), &length);

	return length == sizeof(module) - 1 && !memcmp(text, module, length);
}

/* "train.py:41 (train_epoch)" */
static void put_place_of(const struct summary *summary, const struct line *line, FILE *out)
{
	char file[4 * PLACE_BYTES + 1], function[4 * PLACE_BYTES + 1];
	size_t length;
	const char *text = name_text(source_name_at(summary->source, line->file), &length);
	const char *slash = memrchr(text, '/', length);

	if (slash) {
		length -= (size_t)(slash + 1 - text);
		text = slash + 1;
	}
	text_escape(file, sizeof(file), text, length < PLACE_BYTES ? length : PLACE_BYTES);
	text = name_text(source_name_at(summary->source, line->function), &length);
	text_escape(function, sizeof(function), text, length < PLACE_BYTES ? length : PLACE_BYTES);
	if (is_of_module(summary, line))
		fprintf(out, "%s:%u", file, line->number);
	else
		fprintf(out, "%s:%u (%s)", file, line->number, function);
}

/* "41 % in train.py:41 (train_epoch)" */
static void summary_lines_put_line(const struct summary *summary, const struct line *line,
				   const struct screen *screen)
{
	fprintf(screen->out, "%llu %% in ",
		(unsigned long long)summary_lines_percent_of(summary, line));
	put_place_of(summary, line, screen->out);
}

static bool has_half(const struct summary *summary, const struct sample_counts *counts)
{
	const struct sample_counts *all = all_of(summary);

	return 2 * counts->cpu_looks >= all->cpu_looks && counts->cpu_ns >= all->cpu_ns / 2;
}

/*
 * Returns the function with the least time among those in or below which half of all time was
 * spent; NULL: none.
 */
static const struct line *half_way(const struct summary *summary, const struct lines *functions)
{
	const struct line *least = NULL;

	for (size_t i = 0; i < functions->count; i++) {
		const struct line *line = &functions->line[i];

		if (summary_lines_is_named(summary, line) && has_half(summary, &line->total) &&
		    (!is_of_module(summary, line) || has_half(summary, &line->self)) &&
		    (!least || line->total.cpu_ns < least->total.cpu_ns))
			least = line;
	}
	return least;
}

/* For too few samples to give shares of lines. */
static bool print_few(const struct summary *summary, const struct screen *screen)
{
	const struct sample_counts *all = all_of(summary);
	char time[UNIT_TEXT_BYTES];
	const struct line *line;
	struct lines functions;
	struct own own;
	struct prose prose;

	if (all->cpu_looks < FEW_LOOKS_MIN)
		return false;
	make_lines(summary, &functions, &own, LINES_BY_FUNCTION);
	line = half_way(summary, &functions);
	if (line) {
		prose_begin(&prose, screen);
		fprintf(prose.screen.out, "%s %llu samples: %s of ",
			all->cpu_looks < GUESS_SAMPLES ? "A guess from only" : "By",
			(unsigned long long)all->cpu_looks,
			unit_format_ns(time, line->total.cpu_ns));
		fprintf(prose.screen.out, "%s of CPU time was spent in ",
			unit_format_ns(time, all->cpu_ns));
		put_place_of(summary, line, prose.screen.out);
		fputs(" and what it called (prof-report lines", prose.screen.out);
		fputs(samples_can_be_more(summary->samples)
			      ? "; INTERCEPT_SAMPLE=1000 takes more samples)."
			      : ").",
		      prose.screen.out);
		prose_end(&prose, screen);
	}
	release_lines(&functions, &own);
	return line != NULL;
}

static const struct line *longest_wait(const struct lines *lines, const struct line *but)
{
	const struct line *most = NULL;

	for (size_t i = 0; i < lines->count; i++) {
		const struct line *line = &lines->line[i];

		if (line != but && line->file != SAMPLE_NONE && line->self.wait_ns &&
		    (!most || line->self.wait_ns > most->self.wait_ns))
			most = line;
	}
	return most;
}

static void put_wait(const struct summary *summary, const struct line *line, const char *before,
		     FILE *out)
{
	char time[UNIT_TEXT_BYTES];

	fprintf(out, "%s%s in ", before, unit_format_ns(time, line->self.wait_ns));
	put_place_of(summary, line, out);
}

bool summary_print_waits(const struct summary *summary, const struct screen *screen)
{
	uint64_t wait_ns = summary->samples->all.wait_ns;
	const struct line *first, *second;
	char time[UNIT_TEXT_BYTES];
	struct lines lines;
	struct own own;
	struct prose prose;

	/*
	 * with several threads, each waits for something else, most of them for work; for steps,
	 * their own sentence says what they wait for
	 */
	if (summary->totals.processes != 1 || summary->samples->threads != 1 ||
	    summary->steps->time.count || run_filters(summary->run)->any || !wait_ns ||
	    wait_ns < summary->totals.wall_ns / WAIT_PART)
		return false;
	make_lines(summary, &lines, &own, LINES_BY_LINE);
	first = longest_wait(&lines, NULL);
	second = longest_wait(&lines, first);
	if (first) {
		prose_begin(&prose, screen);
		fprintf(prose.screen.out, "%s waited",
			summary->totals.threads == 1 ? "It" : "Its one thread of Python");
		if (first->self.wait_ns < wait_ns - wait_ns / WAIT_SHOWN_PART)
			fprintf(prose.screen.out, " %s, of it", unit_format_ns(time, wait_ns));
		put_wait(summary, first, " ", prose.screen.out);
		if (second && second->self.wait_ns >= wait_ns / WAIT_SHOWN_PART)
			put_wait(summary, second, ", ", prose.screen.out);
		fputs(" (prof-report lines --sort wait_ns).", prose.screen.out);
		prose_end(&prose, screen);
	}
	release_lines(&lines, &own);
	return first != NULL;
}

static const char *lines_of_what(const struct summary *summary)
{
	if (!are_of_steps(summary))
		return "in the run";
	if (!summary->samples->has_steps)
		return "from the first request to the last";
	return summary->bottleneck.loop.warm_steps ? "in the steps, the first included"
						   : "in the steps";
}

bool summary_print_lines(const struct summary *summary, const struct screen *screen)
{
	const struct samples *samples = summary->samples;
	const char *why = samples_why_none(samples);
	char time[UNIT_TEXT_BYTES];
	const struct line *line;
	struct lines lines;
	struct own own;
	struct prose prose;
	bool tells;

	if (why && !samples->is_said)
		screen_print_prose(screen, "%c%s.", why[0] - 'a' + 'A', why + 1);
	if (all_of(summary)->cpu_looks < LOOKS_MIN)
		return print_few(summary, screen);
	make_lines(summary, &lines, &own, LINES_BY_LINE);
	line = next_line(summary, &lines, NULL);
	tells = line && summary_lines_percent_of(summary, line) >= PERCENT_MIN;
	if (tells) {
		prose_begin(&prose, screen);
		fprintf(prose.screen.out, "Python's lines %s (%s of CPU time, %llu samples): ",
			lines_of_what(summary), unit_format_ns(time, all_of(summary)->cpu_ns),
			(unsigned long long)all_of(summary)->cpu_looks);
		summary_lines_put_line(summary, line, &prose.screen);
		for (unsigned int i = 1; i < SHOWN; i++) {
			line = next_line(summary, &lines, line);
			if (!line || summary_lines_percent_of(summary, line) < PERCENT_MIN)
				break;
			fputs(", ", prose.screen.out);
			summary_lines_put_line(summary, line, &prose.screen);
		}
		fputs(" (prof-report lines).", prose.screen.out);
		prose_end(&prose, screen);
	}
	release_lines(&lines, &own);
	return tells;
}

/* --- the tables --- */

#define ROWS_OF_LINES 5
#define TITLE_OF_LINES "lines of Python by CPU time"
#define TITLE_OF_FUNCTIONS "functions of Python by CPU time, with what they called"

#define PACKAGE "/__init__.py"

/*
 * Returns the name without its folder, which report lines shows; for a package, the name of the
 * package.
 */
static const char *short_file(const char *text, size_t *length)
{
	size_t package = strlen(PACKAGE), kept = *length;
	const char *slash;

	if (kept > package && !memcmp(text + kept - package, PACKAGE, package))
		kept -= package;
	slash = memrchr(text, '/', kept);
	if (!slash)
		return text;
	*length -= (size_t)(slash + 1 - text);
	return slash + 1;
}

static void summary_lines_put_place(const struct summary *summary, struct table *table,
				    const struct line *line)
{
	size_t length;
	const char *text = name_text(source_name_at(summary->source, line->file), &length);
	const char *shown;

	text = short_file(text, &length);
	shown = text_store_format(&table->texts, "%.*s:%u", (int)length, text, line->number);
	table_put_text(table, COLUMN_lines_file, shown);
	table_put_name(table, COLUMN_lines_function, summary->source, line->function);
}

static void put_share(struct table *table, enum column_id column, uint64_t part, uint64_t whole)
{
	table_set_real(table, column, whole ? 100.0 * (double)part / (double)whole : 0);
}

static void fill_lines(const struct summary *summary, const struct lines *lines, bool is_total,
		       struct table *table)
{
	uint64_t all_ns = all_of(summary)->cpu_ns;

	for (size_t i = 0; i < lines->count; i++) {
		const struct line *line = &lines->line[i];

		if (!summary_lines_is_named(summary, line) ||
		    !(is_total ? line->total : line->self).cpu_ns)
			continue;
		table_add_row(table);
		summary_lines_put_place(summary, table, line);
		table_set_number(table, COLUMN_lines_cpu_ns, line->self.cpu_ns);
		put_share(table, COLUMN_lines_percent, line->self.cpu_ns, all_ns);
		table_set_number(table, COLUMN_lines_wait_ns, line->self.wait_ns);
		table_set_number(table, COLUMN_lines_total_cpu_ns, line->total.cpu_ns);
		put_share(table, COLUMN_lines_total_percent, line->total.cpu_ns, all_ns);
		table_set_number(table, COLUMN_lines_total_wait_ns, line->total.wait_ns);
	}
}

void summary_print_lines_parts(const struct summary *summary, const struct document *document,
			       const struct screen *screen)
{
	static const enum column_id lines_shown[] = { COLUMN_lines_file, COLUMN_lines_function,
						      COLUMN_lines_cpu_ns, COLUMN_lines_percent,
						      COLUMN_lines_wait_ns };
	static const enum column_id functions_shown[] = { COLUMN_lines_file, COLUMN_lines_function,
							  COLUMN_lines_total_cpu_ns,
							  COLUMN_lines_total_percent,
							  COLUMN_lines_total_wait_ns };
	static const struct part parts[] = {
		{ TITLE_OF_LINES, COLUMN_lines_cpu_ns, ROWS_OF_LINES, lines_shown,
		  sizeof(lines_shown) / sizeof(lines_shown[0]) },
		{ TITLE_OF_FUNCTIONS, COLUMN_lines_total_cpu_ns, ROWS_OF_LINES, functions_shown,
		  sizeof(functions_shown) / sizeof(functions_shown[0]) },
	};
	bool has_rows = false;

	if (all_of(summary)->cpu_looks < LOOKS_MIN)
		return;
	for (unsigned int by_function = 0; by_function < 2; by_function++) {
		struct lines lines;
		struct own own;
		struct table table;

		make_lines(summary, &lines, &own, by_function ? LINES_BY_FUNCTION : LINES_BY_LINE);
		key_init_table(&table, BY_lines_line);
		fill_lines(summary, &lines, by_function, &table);
		if (table.row_count)
			part_print(&table, &parts[by_function], document, screen);
		has_rows |= table.row_count > 0;
		table_release(&table);
		release_lines(&lines, &own);
	}
	if (has_rows)
		sample_counts_print_uncertain(all_of(summary), screen);
}
