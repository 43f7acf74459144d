/* SPDX-License-Identifier: MIT */
/*
 * Reads the value of each option from its text into struct options, or writes a line that says what
 * is wrong. Options without a value, and those whose value is taken as it is, are made from
 * options.def.
 */
#include "report/options/parser.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/base/units.h"

int parser_fail(struct parser *parser, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(parser->message, parser->message_bytes, format, arguments);
	va_end(arguments);
	return -1;
}

/* `value` must be one of `names`: `count` of them, or up to a NULL. */
int parser_choose(struct parser *parser, const char *option, const char *value,
		  const char *const *names, size_t count)
{
	char allowed[256] = "";
	struct text_nearest nearest;

	text_nearest_init(&nearest, value);
	for (size_t i = 0; i < count && names[i]; i++) {
		size_t used = strlen(allowed);

		if (!strcmp(names[i], value))
			return (int)i;
		text_nearest_try(&nearest, names[i]);
		snprintf(allowed + used, sizeof(allowed) - used, "%s%s", used ? ", " : "",
			 names[i]);
	}
	return parser_fail(parser, "--%s '%s' is not one of %s%s%s%s", option, value, allowed,
			   nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "",
			   nearest.best ? "'?" : "");
}

static int parser_number(struct parser *parser, const char *option, const char *value,
			 uint64_t *ret_number)
{
	char *end;

	errno = 0;
	*ret_number = strtoull(value, &end, 10);
	if (!*value || *end || errno || value[strspn(value, "0123456789")])
		return parser_fail(parser, "--%s '%s' is not a whole number, such as 20", option,
				   value);
	return 0;
}

#define OPTION(id, name, letter, group, argument, doc)
#define OPTION_SWITCH(id, name, letter, group, doc)                           \
	static int option_take_##id(struct parser *parser, const char *value) \
	{                                                                     \
		(void)value;                                                  \
		parser->options->id = true;                                   \
		return 0;                                                     \
	}
#define OPTION_TEXT(id, name, letter, group, argument, doc)                   \
	static int option_take_##id(struct parser *parser, const char *value) \
	{                                                                     \
		parser->options->id = value;                                  \
		return 0;                                                     \
	}
#include "report/options/options.def"

static int option_take_limit(struct parser *parser, const char *value)
{
	uint64_t limit;

	if (parser_number(parser, "limit", value, &limit))
		return -1;
	parser->options->limit = limit < LIMIT_DEFAULT ? (size_t)limit : 0;
	return 0;
}

static int option_take_width(struct parser *parser, const char *value)
{
	uint64_t width;

	if (parser_number(parser, "width", value, &width))
		return -1;
	if (width < WIDTH_MIN || width > WIDTH_MAX)
		return parser_fail(parser, "--width '%s' is not from %d to %d", value, WIDTH_MIN,
				   WIDTH_MAX);
	parser->options->width = (size_t)width;
	return 0;
}

/* One more of an option that may be repeated. */
static int parser_add(const char ***words, size_t *count, const char *word)
{
	*words = memory_grow(*words, *count + 1, sizeof(**words));
	(*words)[(*count)++] = word;
	return 0;
}

static int option_take_filter(struct parser *parser, const char *value)
{
	return parser_add(&parser->options->filter, &parser->options->filter_count, value);
}

static int option_take_fail_if(struct parser *parser, const char *value)
{
	return parser_add(&parser->options->fail_if, &parser->options->fail_if_count, value);
}

static int option_take_group_by(struct parser *parser, const char *value)
{
	return option_take_by_name(parser, value);
}

static int option_take_stack(struct parser *parser, const char *value)
{
	uint64_t frames;

	if (parser_number(parser, "stack", value, &frames))
		return -1;
	if (!frames || frames > STACK_SHOWN_MAX)
		return parser_fail(parser, "--stack '%s' is not a number from 1 to %u", value,
				   STACK_SHOWN_MAX);
	parser->options->stack_frames = (size_t)frames;
	return 0;
}

static int option_take_against(struct parser *parser, const char *value)
{
	(void)value;
	parser->options->against = parser->options->file_count;
	return 0;
}

static int option_take_format(struct parser *parser, const char *value)
{
	int format = parser_choose(parser, "format", !strcmp(value, "md") ? "markdown" : value,
				   export_format_names, FORMAT_LIMIT);

	if (format < 0)
		return -1;
	parser->options->format = (enum export_format)format;
	parser->options->format_given = true;
	return 0;
}

static int option_take_csv(struct parser *parser, const char *value)
{
	(void)value;
	return option_take_format(parser, "csv");
}

static int option_take_output(struct parser *parser, const char *value)
{
	if (!*value)
		return parser_fail(parser, "--output needs the name of a file, or - for stdout");
	parser->options->output = strcmp(value, "-") ? value : NULL;
	return 0;
}

static int option_take_process(struct parser *parser, const char *value)
{
	return parser_number(parser, "process", value, &parser->options->scope.pid);
}

/* "3" or "0..7" */
static int option_take_rank(struct parser *parser, const char *value)
{
	struct filter_settings *scope = &parser->options->scope;
	const char *dots = strstr(value, "..");
	char first[24];

	snprintf(first, sizeof(first), "%.*s", dots ? (int)(dots - value) : 23, value);
	if (parser_number(parser, "rank", first, &scope->rank_from) ||
	    parser_number(parser, "rank", dots ? dots + 2 : value, &scope->rank_to))
		return -1;
	if (scope->rank_to < scope->rank_from)
		return parser_fail(parser, "--rank '%s' ends before it begins", value);
	scope->has_rank = true;
	return 0;
}

static int option_take_thread(struct parser *parser, const char *value)
{
	return parser_number(parser, "thread", value, &parser->options->scope.tid);
}

/* Parses one end of --time. An empty one leaves the default; a negative one counts from the end. */
static int parse_time(const char *text, size_t length, uint64_t *ret_ns, bool *ret_from_end)
{
	bool from_end = length && *text == '-';
	double ns;

	if (!length)
		return 0;
	if (from_end && (length < 2 || !strchr("0123456789.", text[1])))
		return -1;
	if (unit_parse(text + from_end, length - from_end, UNIT_NS, &ns) || ns < 0)
		return -1;
	*ret_ns = ns < 1.8e19 ? (uint64_t)(ns + 0.5) : UINT64_MAX;
	*ret_from_end = from_end;
	return 0;
}

/* A whole number is in nanoseconds; a fraction means that a unit was forgotten. */
static bool time_lacks_unit(const char *text, size_t length)
{
	bool from_end = length && *text == '-';

	return memchr(text, '.', length) &&
	       strspn(text + from_end, "0123456789.") >= length - from_end;
}

/* As far as this can be checked before anything is read. */
static bool time_is_backward(const struct filter_settings *scope)
{
	if (scope->from_end != scope->to_end)
		return false;
	return scope->from_end ? scope->to_ns > scope->from_ns : scope->to_ns < scope->from_ns;
}

static int option_take_time(struct parser *parser, const char *value)
{
	struct filter_settings *scope = &parser->options->scope;
	const char *dots = strstr(value, "..");

	if (dots && (time_lacks_unit(value, (size_t)(dots - value)) ||
		     time_lacks_unit(dots + 2, strlen(dots + 2))))
		return parser_fail(parser, "--time '%s' has no unit: write 1.5s..2s", value);
	scope->from_ns = 0;
	scope->to_ns = UINT64_MAX;
	scope->from_end = scope->to_end = false;
	if (!dots || parse_time(value, (size_t)(dots - value), &scope->from_ns, &scope->from_end) ||
	    parse_time(dots + 2, strlen(dots + 2), &scope->to_ns, &scope->to_end))
		return parser_fail(
			parser, "--time '%s' is not A..B, as in 1.5s..2s, 10ms.., ..1min or -10s..",
			value);
	if (time_is_backward(scope))
		return parser_fail(parser,
				   "--time '%s' ends before it begins: write the "
				   "earlier time first",
				   value);
	return 0;
}

/* N, A..B, A.. or ..B. */
static int option_take_numbers(struct parser *parser, const char *option, const char *value)
{
	struct filter_settings *scope = &parser->options->scope;
	const char *dots = strstr(value, "..");
	size_t first = strspn(value, "0123456789");
	char text[32];

	if (scope->by_step)
		return parser_fail(
			parser,
			"--step, --capture and --request: only one of them can be given, and "
			"only once");
	if ((dots ? value + first != dots || !(first || dots[2]) : value[first]) ||
	    strlen(value) >= sizeof(text) || (dots && strchr(dots + 2, '.')))
		return parser_fail(parser,
				   "--%s '%s' is not N or A..B, as in 7, 5..9, 100.. or ..9",
				   option, value);
	snprintf(text, sizeof(text), "%.*s", (int)first, value);
	scope->by_step = true;
	scope->step_first = 0;
	scope->step_last = UINT64_MAX;
	if (first && parser_number(parser, option, text, &scope->step_first))
		return -1;
	if (!dots)
		scope->step_last = scope->step_first;
	else if (dots[2] && parser_number(parser, option, dots + 2, &scope->step_last))
		return -1;
	if (scope->step_last < scope->step_first)
		return parser_fail(parser, "--%s '%s' ends before it begins", option, value);
	return 0;
}

/* Numbers; any other text is a name. */
static int option_take_step(struct parser *parser, const char *value)
{
	if (!*value || value[strspn(value, "0123456789.")])
		return parser_take_step_name(parser, value);
	return option_take_numbers(parser, "step", value);
}

static int option_take_capture(struct parser *parser, const char *value)
{
	int status = option_take_numbers(parser, "capture", value);

	parser->options->scope.by_capture = true;
	return status;
}

static int option_take_request(struct parser *parser, const char *value)
{
	int status = option_take_numbers(parser, "request", value);

	parser->options->scope.by_request = true;
	return status;
}

static int option_take_range(struct parser *parser, const char *value)
{
	if (parser->options->scope.range)
		return parser_fail(parser, "--range and --during: only one of them can be given, "
					   "and only once");
	parser->options->scope.range = value;
	return 0;
}

static int option_take_during(struct parser *parser, const char *value)
{
	parser->options->scope.during = true;
	return option_take_range(parser, value);
}

static int option_take_wait(struct parser *parser, const char *value)
{
	uint64_t seconds = WAIT_MAX_S;

	if (value && parser_number(parser, "wait", value, &seconds))
		return -1;
	parser->options->waits = true;
	parser->options->wait_s = seconds < WAIT_MAX_S ? (unsigned int)seconds : WAIT_MAX_S;
	return 0;
}

const struct option_info option_infos[OPTION_COUNT] = {
#define OPTION(id, name, letter, group, argument, doc) \
	{ name, letter, group, argument, option_take_##id, REPORT_OPTION_LIMIT, NULL },
#include "report/options/options.def"
#define REPORT_OPTION(id, argument, choices, doc) \
	{ #id, 0, TAKES_##id, argument, NULL, REPORT_OPTION_##id, choices },
#include "report/families.def"
};
