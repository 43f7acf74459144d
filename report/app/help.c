/* SPDX-License-Identifier: MIT */
/* The texts of --help and --list: expansions of options.def and families.def. */
#include <stdlib.h>
#include <string.h>

#include "report/table/columns.h"
#include "report/core/options.h"

struct help_option {
	const char *name; /* NULL: here are those of single reports */
	char letter;
	const char *argument, *doc;
};

static const struct help_option help_options[] = {
#define OPTION(id, name, letter, group, argument, doc) { name, letter, argument, doc },
#define OPTIONS_OF_REPORTS { NULL, 0, NULL, NULL },
#include "report/core/options.def"
};

static const struct help_option help_options_of_reports[REPORT_OPTION_LIMIT] = {
#define REPORT_OPTION(id, argument, choices, doc) [REPORT_OPTION_##id] = { #id, 0, argument, doc },
#include "report/families.def"
};

void options_print_list(FILE *out)
{
	for (int i = 0; i < REPORT_LIMIT; i++)
		fprintf(out, "  %-13s %s\n", report_infos[i].name, report_infos[i].doc);
}

static void print_option(FILE *out, const struct help_option *option)
{
	char left[48], letter[8] = "    ";

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	snprintf(left, sizeof(left), "%s--%s %s", letter, option->name,
		 option->argument ? option->argument : "");
	fprintf(out, strlen(left) < 27 ? "  %-26s %s\n" : "  %s\n                             %s\n",
		left, option->doc);
}

static int option_compare(const void *a, const void *b)
{
	return strcmp(((const struct help_option *)a)->name, ((const struct help_option *)b)->name);
}

/* By name: the order of families says nothing to who reads it. */
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
	      "usage: prof-report [REPORT] [OPTIONS] [FILE...]      (FILE: run.evt when none is "
	      "given)\n\n"
	      "reports:\n",
	      out);
	options_print_list(out);
	fputs("\nexamples:\n"
	      "  prof-report                                  summary of ./run.evt\n"
	      "  prof-report alloc --sort peak_bytes          who held the memory at its peak\n"
	      "  prof-report nvtx --tree                      ranges by nesting\n"
	      "  prof-report alloc --range forward run.evt    allocations while `forward` was "
	      "open\n"
	      "  prof-report nvtx --filter 'name=conv*' --filter 'p99_ns>5ms' --format csv\n"
	      "\noptions:\n",
	      out);
	for (size_t i = 0; i < sizeof(help_options) / sizeof(help_options[0]); i++) {
		if (help_options[i].name)
			print_option(out, &help_options[i]);
		else
			print_options_of_reports(out);
	}
	fputs("\nThe other files of a session (forked launchers, ranks, hosts) are found beside "
	      "FILE and merged.\n"
	      "A report's columns: prof-report REPORT --help\n"
	      "exit status: 0, 1 when a file could not be read in full, 2 for a wrong command "
	      "line\n",
	      out);
}

void options_print_report_help(FILE *out, enum report_id report)
{
	const struct report_info *info = &report_infos[report];
	const struct column *columns[COLUMNS_MAX];
	size_t count = columns_of(info->id, columns);

	fprintf(out, "prof-report %s: %s\n", info->name, info->doc);
	if (*info->more)
		fprintf(out, "\n%s\n", info->more);
	if (count)
		fputs(!(info->takes & TAKES_TABLE)
			      ? "\ncolumns of csv and json:\n"
				"  name                   heading      unit     what it says\n"
			      : "\ncolumns, by their name or heading for --columns, --sort and "
				"--filter (csv "
				"and json: by name,\nin the unit named):\n"
				"  name                   heading      unit     what it says\n",
		      out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "  %-22s %-12s %-8s %s\n", columns[i]->name, columns[i]->header,
			unit_name(columns[i]->unit), columns[i]->doc);
	if (info->sort)
		fprintf(out,
			"\nsorted by %s unless --sort says otherwise; prof-report --help lists the "
			"options\n",
			info->sort);
}
