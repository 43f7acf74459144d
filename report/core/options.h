/* SPDX-License-Identifier: MIT */
/*
 * The command line of prof-report. Texts are borrowed from argv; `file` and `filter` are owned. Does
 * not print: a wrong option comes back as one line.
 */
#ifndef REPORT_CORE_OPTIONS_H
#define REPORT_CORE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/core/filters.h"
#include "report/core/keys.h"

/* Groups of options; a report names those it takes. */
enum option_group {
	TAKES_ANY = 0, /* every report takes these */
	TAKES_TABLE = 1,
	TAKES_FORMAT = 2,
	TAKES_FILTER = 4,
	TAKES_BY = 8,
	TAKES_TREE = 16,
	TAKES_NAMES = 32,
	TAKES_STEP = 64,
	TAKES_FILES = 128, /* the report reads the files itself */
};

enum report_id {
#define REPORT(id, name, takes, sort, doc, more) REPORT_##id,
#include "report/core/reports.def"
	REPORT_LIMIT,
};

struct report_info {
	const char *id, *name;
	unsigned int takes;
	const char *sort; /* default column, NULL: as it comes */
	const char *doc, *more;
};
extern const struct report_info report_infos[REPORT_LIMIT];

enum option_format {
	FORMAT_TABLE,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_MARKDOWN,
	FORMAT_LIMIT,
};
extern const char *const option_formats[FORMAT_LIMIT];

/* How --names shows those of kernels. */
enum option_names {
	NAMES_FULL,
	NAMES_SHORT,   /* no namespaces, template arguments and parameters */
	NAMES_MANGLED, /* as recorded */
	NAMES_LIMIT,
};
extern const char *const option_names[NAMES_LIMIT];

#define LIMIT_DEFAULT SIZE_MAX
#define WAIT_DEFAULT_S 60
#define WAIT_MAX_S 1000000000u

struct options {
	enum report_id report;
	bool report_named;
	const char *sort, *columns, *output;
	size_t limit; /* LIMIT_DEFAULT: not given */
	const char **filter;
	size_t filter_count;
	enum option_format format;
	const char *by_name; /* as given, NULL: not */
	enum key_id by;      /* of the report, its first when not given */
	enum option_names names;
	const char *step; /* NULL: not given */
	struct filter_settings scope;
	unsigned int wait_s; /* for runs that are still writing, unless live */
	bool tree, raw, live, no_color, list, help, version;
	char **file;
	size_t file_count;
	unsigned int given;                  /* groups of the options that were given */
	const char *given_name[TAKES_FILES]; /* one of each such group, by the group */
};

/* 0, or -1 with one line in `message`. */
int options_parse(struct options *options, int argc, char **argv, char *message,
		  size_t message_bytes);
void options_release(struct options *options);

void options_print_help(FILE *out);
void options_print_report_help(FILE *out, enum report_id report);
void options_print_list(FILE *out);

#endif
