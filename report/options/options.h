/* SPDX-License-Identifier: MIT */
/*
 * The command line of prof-report. Texts are borrowed from argv; `file`, `filter` and `fail_if` are
 * owned. Prints nothing: for a wrong option, the caller gets one line.
 */
#ifndef REPORT_OPTIONS_OPTIONS_H
#define REPORT_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/options/filter_settings.h"
#include "report/options/keys.h"
#include "report/table/export.h"

/* Groups of options; a report names the groups that it takes. */
enum option_group {
	TAKES_ANY = 0, /* every report takes these */
	TAKES_TABLE = 1,
	TAKES_FORMAT = 2,
	TAKES_FILTER = 4,
	TAKES_BY = 8,
	TAKES_TREE = 16,
	TAKES_FILES = 32, /* the report reads the files itself */
	TAKES_STACK = 64,
	TAKES_OUTPUT = 128,   /* and every report that has TAKES_FORMAT */
	TAKES_WORD = 256,     /* a word in front of the files says what to do */
	TAKES_COMPARE = 512,  /* it reads several runs */
	TAKES_AGAINST = 1024, /* it can be compared with other runs */
	TAKES_NOTHING = 2048, /* no file need be named, nor be there */
	TAKES_OF_REPORTS = 4096,
};
#define OPTION_GROUPS 64 /* bits of all */

/* Options of the reports of one family only. */
enum report_option {
#define REPORT_OPTION(id, argument, choices, doc) REPORT_OPTION_##id,
#include "report/families.def"
	REPORT_OPTION_LIMIT,
};
/* Each of them is a group of its own: TAKES_step. */
enum {
#define REPORT_OPTION(id, argument, choices, doc) \
	TAKES_##id = (uint64_t)TAKES_OF_REPORTS << REPORT_OPTION_##id,
#include "report/families.def"
};

enum report_id {
#define REPORT(id, name, takes, sort, doc, more) REPORT_##id,
#include "report/families.def"
	REPORT_LIMIT,
};

struct report_info {
	const char *id, *name;
	uint64_t takes;
	const char *sort; /* default column; NULL: unsorted */
	const char *doc, *more;
};
extern const struct report_info report_infos[REPORT_LIMIT];

struct report_option_value {
	const char *text;    /* as given; NULL: not given */
	unsigned int choice; /* index of the choice */
};

#define LIMIT_DEFAULT SIZE_MAX
#define STACK_SHOWN_MAX 4096u /* of --stack */
#define WIDTH_MIN 40          /* characters in a line */
#define WIDTH_MAX 1000
#define WAIT_DEFAULT_S 60
#define WAIT_MAX_S 1000000000u

struct options {
	enum report_id report;
	bool report_named;
	const char *word; /* for reports that have TAKES_WORD; NULL: not given */
	const char *sort, *columns, *output;
	size_t limit; /* LIMIT_DEFAULT: not given */
	const char **filter;
	size_t filter_count;
	const char **fail_if;
	size_t fail_if_count;
	const char *metric; /* NULL: not given */
	/* index in `file` of the first one behind --against; SIZE_MAX: not given */
	size_t against;
	char **base; /* for a report on one run: the files behind --against */
	size_t base_count;
	enum export_format format;
	const char *by_name; /* as given; NULL: not given */
	enum key_id by;      /* of the report; its first one if not given */
	struct report_option_value of_report[REPORT_OPTION_LIMIT];
	struct filter_settings scope;
	unsigned int wait_s; /* seconds, for runs that still write, unless live */
	size_t stack_frames; /* frames of each row's stack to show below it */
	bool format_given;
	size_t width; /* characters in a line; 0: not given */
	bool tree, raw, raw_stacks, live, waits, no_color, list, help, version;
	char **file;
	size_t file_count;
	uint64_t given;                        /* groups of the options that were given */
	const char *given_name[OPTION_GROUPS]; /* one option of each such group, by its bit */
};

/* Returns 0, or -1 with one line in `message`. */
int options_parse(struct options *options, int argc, char **argv, char *message,
		  size_t message_bytes);
void options_release(struct options *options);

void options_print_help(FILE *out);
void options_print_report_help(FILE *out, enum report_id report);
void options_print_list(FILE *out);

#endif
