/* SPDX-License-Identifier: MIT */
/* The texts of --help and --list: expansions of options.def and families.def. */
#include <stdlib.h>
#include <string.h>

#include "report/table/columns.h"
#include "report/table/export.h"
#include "report/options/options.h"

/* in columns, whatever the terminal has, because help is also read in pipes and mails */
#define HELP_WIDTH 80
#define OPTION_INDENT 29
#define COLUMN_INDENT 47

struct help_option {
	const char *name; /* NULL: options of single reports follow */
	char letter;
	const char *argument, *doc;
};

static const struct help_option help_options[] = {
#define OPTION(id, name, letter, group, argument, doc) { name, letter, argument, doc },
#define OPTIONS_OF_REPORTS { NULL, 0, NULL, NULL },
#include "report/options/options.def"
};

static const struct help_option help_options_of_reports[REPORT_OPTION_LIMIT] = {
#define REPORT_OPTION(id, argument, choices, doc) [REPORT_OPTION_##id] = { #id, 0, argument, doc },
#include "report/families.def"
};

/*
 * Prints the text after `used` columns of the line, broken at spaces; later lines begin at
 * `indent`. A newline counts as a space.
 */
static void print_text(FILE *out, size_t used, size_t indent, const char *text)
{
	struct screen screen = { .out = out, .width = HELP_WIDTH };
	struct prose prose;

	prose_begin(&prose, &screen);
	prose.used = (unsigned int)used;
	prose.indent = (unsigned int)indent;
	for (; *text; text++)
		putc(*text == '\n' ? ' ' : *text, prose.screen.out);
	prose_end(&prose, &screen);
}

/* Prints the text in a column of its own, or below `left` if that is too long. */
static void print_beside(FILE *out, const char *left, unsigned int indent, const char *text)
{
	fprintf(out, "%-*s", (int)indent, left);
	if (strlen(left) >= indent)
		fprintf(out, "\n%*s", (int)indent, "");
	print_text(out, indent, indent, text);
}

/* One line per report, which scripts read, too. */
void options_print_list(FILE *out)
{
	for (int i = 0; i < REPORT_LIMIT; i++)
		fprintf(out, "  %-13s %s\n", report_infos[i].name, report_infos[i].doc);
}

static void print_option(FILE *out, const struct help_option *option)
{
	char left[64], letter[8] = "    ";

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	snprintf(left, sizeof(left), "  %s--%s%s%s", letter, option->name,
		 option->argument ? " " : "", option->argument ? option->argument : "");
	print_beside(out, left, OPTION_INDENT, option->doc);
}

static int option_compare(const void *a, const void *b)
{
	return strcmp(((const struct help_option *)a)->name, ((const struct help_option *)b)->name);
}

/* By name, because the order of families means nothing to the reader. */
static void print_options_of_reports(FILE *out)
{
	struct help_option option[REPORT_OPTION_LIMIT];

	memcpy(option, help_options_of_reports, sizeof(option));
	qsort(option, REPORT_OPTION_LIMIT, sizeof(*option), option_compare);
	for (size_t i = 0; i < REPORT_OPTION_LIMIT; i++)
		print_option(out, &option[i]);
}

void options_print_help(FILE *out)
{
	fputs("prof-report: tables from what intercept recorded\n\n"
	      "usage: prof-report [REPORT] [OPTIONS] [FILE...]     (without FILE: run.evt)\n"
	      "       prof-report help [REPORT]\n\n"
	      "reports:\n",
	      out);
	options_print_list(out);
	fputs("\nexamples:\n"
	      "  prof-report                                  the first screen of ./run.evt\n"
	      "  prof-report --all run.evt                    and all tables\n"
	      "  prof-report alloc --sort peak_bytes          who held the memory at its peak\n"
	      "  prof-report nvtx --tree                      ranges by nesting\n"
	      "  prof-report alloc --range forward run.evt    allocations inside of `forward`\n"
	      "  prof-report nvtx --filter 'name=conv*' --filter 'p99_ns>5ms' --format csv\n"
	      "\noptions:\n",
	      out);
	for (size_t i = 0; i < sizeof(help_options) / sizeof(help_options[0]); i++) {
		if (help_options[i].name)
			print_option(out, &help_options[i]);
		else
			print_options_of_reports(out);
	}
	fputs("\nThe other files of a session (launchers, ranks, hosts) are found beside FILE and\n"
	      "merged. A report's columns: prof-report help REPORT\n"
	      "Exit status: 0, 1 when a file could not be read in full, 2 for a wrong command\n"
	      "line, 3 when a condition of --fail-if is met.\n",
	      out);
}

static void print_columns(FILE *out, const struct report_info *info)
{
	const struct column *column[COLUMNS_MAX];
	size_t count = columns_of(info->id, column);
	char left[96];

	if (!count)
		return;
	putc('\n', out);
	print_text(out, 0, 0,
		   info->takes & TAKES_TABLE
			   ? "columns, by their name or heading for --columns, --sort and "
			     "--filter (csv and json: by name, in the unit named):"
			   : "columns of csv and json:");
	fputs("  name                   heading      unit     meaning\n", out);
	for (size_t i = 0; i < count; i++) {
		snprintf(left, sizeof(left), "  %-22s %-12s %-7s", column[i]->name,
			 column[i]->header, unit_name(column[i]->unit));
		print_beside(out, left, COLUMN_INDENT, column[i]->doc);
	}
}

void options_print_report_help(FILE *out, enum report_id report)
{
	const struct report_info *info = &report_infos[report];
	char text[128];

	snprintf(text, sizeof(text), "prof-report %s: ", info->name);
	fputs(text, out);
	print_text(out, strlen(text), 0, info->doc);
	if (*info->more) {
		putc('\n', out);
		print_text(out, 0, 0, info->more);
	}
	print_columns(out, info);
	putc('\n', out);
	if (info->sort)
		fprintf(out, "Rows are sorted by %s, or as --sort asks.\n", info->sort);
	fputs("prof-report help lists the options.\n", out);
}
