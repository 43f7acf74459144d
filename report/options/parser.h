/* SPDX-License-Identifier: MIT */
/*
 * What the files that read the command line share (options.h). Each function returns 0, or -1 with
 * a line in `message`. To be used by one thread.
 */
#ifndef REPORT_OPTIONS_PARSER_H
#define REPORT_OPTIONS_PARSER_H

#include "report/options/options.h"

struct parser {
	struct options *options;
	char **argv;
	int argc, at;
	char *message;
	size_t message_bytes;
};

struct option_info {
	const char *name;
	char letter;
	uint64_t group;
	const char *argument;
	int (*take)(struct parser *parser, const char *value);
	enum report_option of_report; /* of a report's own options, which have no take() */
	const char *choices;
};

/* In the order of --help: those of options.def, then those of reports. */
enum {
#define OPTION(id, name, letter, group, argument, doc) OPTION_AT_##id,
#include "report/options/options.def"
	OPTIONS_OF_ALL,
	OPTION_COUNT = OPTIONS_OF_ALL + REPORT_OPTION_LIMIT,
};
extern const struct option_info option_infos[OPTION_COUNT];

__attribute__((format(printf, 2, 3))) int parser_fail(struct parser *parser, const char *format,
						      ...);
/* Which of `names` (count of them, or NULL at the end) the value is; -1 when it is none. */
int parser_choose(struct parser *parser, const char *option, const char *value,
		  const char *const *names, size_t count);
/* A value that is no number of a step is a name, for the own --step of report `steps`. */
int parser_take_step_name(struct parser *parser, const char *value);
/* Once all arguments are read. */
int parser_check(struct parser *parser);

#endif
