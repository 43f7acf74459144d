/* SPDX-License-Identifier: MIT */
/*
 * Goes over the arguments and finds the option of each. option_values.c decides what its value
 * means, and option_checks.c what the whole command line means. Help texts are in
 * report/app/help.c.
 */
#include "report/options/parser.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/base/memory.h"
#include "report/base/text.h"

const struct report_info report_infos[REPORT_LIMIT] = {
#define REPORT(id, name, takes, sort, doc, more) \
	[REPORT_##id] = { #id, name, takes, sort, doc, more },
#include "report/families.def"
};

#define CHOICES_MAX 16

static int parser_take_own(struct parser *parser, const struct option_info *option,
			   const char *value)
{
	char words[128], *at = words;
	const char *choice[CHOICES_MAX];
	size_t count = 0;
	int chosen = 0;

	if (!option->argument) /* a switch: its presence is all */
		return 0;
	if (!*value)
		return parser_fail(parser, "--%s needs a value: %s", option->name,
				   option->argument);
	snprintf(words, sizeof(words), "%s", option->choices ? option->choices : "");
	while (at && count < CHOICES_MAX)
		choice[count++] = strsep(&at, " ");
	if (option->choices)
		chosen = parser_choose(parser, option->name, value, choice, count);
	if (chosen < 0)
		return -1;
	parser->options->of_report[option->of_report] = (struct report_option_value){
		value, (unsigned int)chosen
	};
	return 0;
}

/* Finds a report's own option of that name. */
static const struct option_info *option_of_reports(const char *name)
{
	size_t at = 0;

	while (option_infos[at].take || strcmp(option_infos[at].name, name) != 0)
		at++;
	return &option_infos[at];
}

/* A value that is no number of a step is a name, for the own --step of report `steps`. */
int parser_take_step_name(struct parser *parser, const char *value)
{
	const struct option_info *own = option_of_reports("step");

	parser->options->given |= own->group;
	parser->options->given_name[__builtin_ctzll(own->group)] = "step NAME";
	return parser_take_own(parser, own, value);
}

static const struct option_info *option_find(const char *name, size_t length)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (strlen(option_infos[i].name) == length &&
		    !memcmp(option_infos[i].name, name, length))
			return &option_infos[i];
	return NULL;
}

static int parser_unknown(struct parser *parser, const char *argument, size_t length)
{
	struct text_nearest nearest;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)length, argument + 2);
	text_nearest_init(&nearest, name);
	for (size_t i = 0; i < OPTION_COUNT; i++)
		text_nearest_try(&nearest, option_infos[i].name);
	if (nearest.best)
		return parser_fail(parser, "unknown option '--%s', did you mean '--%s'?", name,
				   nearest.best);
	return parser_fail(parser, "unknown option '--%s'; prof-report --help lists them", name);
}

/* An optional argument is a number; otherwise the next word is a file. */
static bool argument_is_missing(const struct parser *parser, const struct option_info *option)
{
	const char *next = parser->at + 1 < parser->argc ? parser->argv[parser->at + 1] : "";

	return *option->argument == '[' && (!*next || next[strspn(next, "0123456789")]);
}

/*
 * In "flame --time", the option selects what is sampled: time. An option or a file follows; a
 * malformed A..B is still an error.
 */
static bool time_is_meant(const struct parser *parser, const struct option_info *option)
{
	const struct options *options = parser->options;
	const char *next = parser->at + 1 < parser->argc ? parser->argv[parser->at + 1] : "-";

	return !strcmp(option->name, "time") && options->report_named &&
	       report_infos[options->report].takes & TAKES_of &&
	       (*next == '-' || access(next, F_OK) == 0) && !strstr(next, "..");
}

static int options_parser_take(struct parser *parser, const struct option_info *option,
			       const char *value)
{
	if (!value && time_is_meant(parser, option)) {
		option = option_of_reports("of");
		value = "samples";
	}
	if (option->argument && !value && !argument_is_missing(parser, option)) {
		if (parser->at + 1 >= parser->argc)
			return parser_fail(parser, "--%s needs a value: %s", option->name,
					   option->argument);
		value = parser->argv[++parser->at];
	}
	if (!option->argument && value)
		return parser_fail(parser, "--%s takes no value, but '%s' was given", option->name,
				   value);
	parser->options->given |= option->group;
	if (option->group)
		parser->options->given_name[__builtin_ctzll(option->group)] = option->name;
	return option->take ? option->take(parser, value) : parser_take_own(parser, option, value);
}

static int parser_take_long(struct parser *parser, const char *argument)
{
	const char *equals = strchr(argument, '=');
	size_t length = equals ? (size_t)(equals - argument) - 2 : strlen(argument) - 2;
	const struct option_info *option = option_find(argument + 2, length);

	if (!option)
		return parser_unknown(parser, argument, length);
	return options_parser_take(parser, option, equals ? equals + 1 : NULL);
}

/* -h, -n5, -n 5, -o FILE: one letter for each argument. */
static int parser_take_short(struct parser *parser, const char *argument)
{
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const struct option_info *option = &option_infos[i];

		if (option->letter == argument[1])
			return options_parser_take(parser, option,
						   argument[2] ? argument + 2 : NULL);
	}
	return parser_fail(parser, "unknown option '-%c'; prof-report --help lists them",
			   argument[1]);
}

/* The first argument is a report if it has a report's name; ./alloc is a file. */
static void parser_take_plain(struct parser *parser, char *argument)
{
	struct options *options = parser->options;

	/* `prof-report help`, optionally followed by a report; ./help is a file */
	if (!strcmp(argument, "help") && !options->report_named && !options->file_count) {
		options->help = true;
		return;
	}
	if (!options->report_named && !options->file_count) {
		for (int i = 0; i < REPORT_LIMIT; i++) {
			if (strcmp(report_infos[i].name, argument) != 0 &&
			    strcmp(report_infos[i].id, argument) != 0)
				continue;
			options->report = (enum report_id)i;
			options->report_named = true;
			return;
		}
	}
	if (report_infos[options->report].takes & TAKES_WORD && options->report_named &&
	    !options->word) {
		options->word = argument;
		return;
	}
	options->file = memory_grow(options->file, options->file_count + 1, sizeof(*options->file));
	options->file[options->file_count++] = argument;
}

int options_parse(struct options *options, int argc, char **argv, char *message,
		  size_t message_bytes)
{
	struct parser parser = { options, argv, argc, 1, message, message_bytes };
	bool only_plain = false;

	*options = (struct options){
		.limit = LIMIT_DEFAULT,
		.against = SIZE_MAX,
		.wait_s = WAIT_DEFAULT_S,
		.scope = { .pid = FILTER_NO_ID, .tid = FILTER_NO_ID, .to_ns = UINT64_MAX },
	};
	for (; parser.at < argc; parser.at++) {
		char *argument = argv[parser.at];
		int result = 0;

		if (only_plain || argument[0] != '-' || !argument[1])
			parser_take_plain(&parser, argument);
		else if (!strcmp(argument, "--"))
			only_plain = true;
		else if (argument[1] == '-')
			result = parser_take_long(&parser, argument);
		else
			result = parser_take_short(&parser, argument);
		if (result)
			return result;
	}
	return parser_check(&parser);
}

void options_release(struct options *options)
{
	free(options->filter);
	free(options->fail_if);
	free(options->file);
	free(options->base);
}
