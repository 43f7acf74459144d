/* SPDX-License-Identifier: MIT */
/* The texts of --help and --list: expansions of options.def, reports.def and columns.def. */
#include <string.h>

#include "report/table/columns.h"
#include "report/core/options.h"

static const struct {
	const char *name;
	char letter;
	const char *argument, *doc;
} help_options[] = {
#define OPTION(id, name, letter, group, argument, doc) { name, letter, argument, doc },
#include "report/core/options.def"
};

void options_print_list(FILE *out)
{
	for (int i = 0; i < REPORT_LIMIT; i++)
		fprintf(out, "  %-13s %s\n", report_infos[i].name, report_infos[i].doc);
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
		char left[48], letter[8] = "    ";

		if (help_options[i].letter)
			snprintf(letter, sizeof(letter), "-%c, ", help_options[i].letter);
		snprintf(left, sizeof(left), "%s--%s %s", letter, help_options[i].name,
			 help_options[i].argument ? help_options[i].argument : "");
		fprintf(out,
			strlen(left) < 27 ? "  %-26s %s\n"
					  : "  %s\n                             %s\n",
			left, help_options[i].doc);
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
