/* SPDX-License-Identifier: MIT */
/* The command line of prof-report: see options.h. Help texts are in help.c. */
#include "report/options/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/base/units.h"

const struct report_info report_infos[REPORT_LIMIT] = {
#define REPORT(id, name, takes, sort, doc, more) \
	[REPORT_##id] = { #id, name, takes, sort, doc, more },
#include "report/families.def"
};

struct parser {
	struct options *options;
	char **argv;
	int argc, at;
	char *message;
	size_t message_bytes;
};

__attribute__((format(printf, 2, 3))) static int parser_fail(struct parser *parser,
							     const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(parser->message, parser->message_bytes, format, arguments);
	va_end(arguments);
	return -1;
}

/* `value` must be one of `names` (count of them, or NULL at the end). */
static int parser_choose(struct parser *parser, const char *option, const char *value,
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

static int take_sort(struct parser *parser, const char *value)
{
	parser->options->sort = value;
	return 0;
}

static int take_limit(struct parser *parser, const char *value)
{
	uint64_t limit;

	if (parser_number(parser, "limit", value, &limit))
		return -1;
	parser->options->limit = limit < LIMIT_DEFAULT ? (size_t)limit : 0;
	return 0;
}

static int take_columns(struct parser *parser, const char *value)
{
	parser->options->columns = value;
	return 0;
}

static int take_width(struct parser *parser, const char *value)
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

static int take_filter(struct parser *parser, const char *value)
{
	struct options *options = parser->options;

	options->filter = memory_grow(options->filter, options->filter_count + 1,
				      sizeof(*options->filter));
	options->filter[options->filter_count++] = value;
	return 0;
}

static int take_by(struct parser *parser, const char *value)
{
	parser->options->by_name = value;
	return 0;
}

static int take_group_by(struct parser *parser, const char *value)
{
	return take_by(parser, value);
}

static int take_stack(struct parser *parser, const char *value)
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

static int take_raw_stacks(struct parser *parser, const char *value)
{
	(void)value;
	parser->options->raw_stacks = true;
	return 0;
}

static int take_against(struct parser *parser, const char *value)
{
	(void)value;
	parser->options->against = parser->options->file_count;
	return 0;
}

static int take_metric(struct parser *parser, const char *value)
{
	parser->options->metric = value;
	return 0;
}

static int take_fail_if(struct parser *parser, const char *value)
{
	struct options *options = parser->options;

	options->fail_if = memory_grow(options->fail_if, options->fail_if_count + 1,
				       sizeof(*options->fail_if));
	options->fail_if[options->fail_if_count++] = value;
	return 0;
}

static int take_tree(struct parser *parser, const char *value)
{
	(void)value;
	parser->options->tree = true;
	return 0;
}

static int take_format(struct parser *parser, const char *value)
{
	int format = parser_choose(parser, "format", !strcmp(value, "md") ? "markdown" : value,
				   export_format_names, FORMAT_LIMIT);

	if (format < 0)
		return -1;
	parser->options->format = (enum export_format)format;
	parser->options->format_given = true;
	return 0;
}

static int take_csv(struct parser *parser, const char *value)
{
	(void)value;
	return take_format(parser, "csv");
}

static int take_raw(struct parser *parser, const char *value)
{
	(void)value;
	parser->options->raw = true;
	return 0;
}

static int take_output(struct parser *parser, const char *value)
{
	if (!*value)
		return parser_fail(parser, "--output needs the name of a file, or - for stdout");
	parser->options->output = strcmp(value, "-") ? value : NULL;
	return 0;
}

static int take_process(struct parser *parser, const char *value)
{
	return parser_number(parser, "process", value, &parser->options->scope.pid);
}

/* "3" or "0..7" */
static int take_rank(struct parser *parser, const char *value)
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

static int take_thread(struct parser *parser, const char *value)
{
	return parser_number(parser, "thread", value, &parser->options->scope.tid);
}

/* One end of --time; an empty one leaves the default, one with a minus counts from the end. */
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

/* Whole numbers are nanoseconds; who writes a fraction means another unit. */
static bool time_lacks_unit(const char *text, size_t length)
{
	bool from_end = length && *text == '-';

	return memchr(text, '.', length) &&
	       strspn(text + from_end, "0123456789.") >= length - from_end;
}

/* As far as that is known before anything is read. */
static bool time_is_backward(const struct filter_settings *scope)
{
	if (scope->from_end != scope->to_end)
		return false;
	return scope->from_end ? scope->to_ns > scope->from_ns : scope->to_ns < scope->from_ns;
}

static int take_time(struct parser *parser, const char *value)
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

static int take_step_name(struct parser *parser, const char *value);

/* N, A..B, A.. or ..B; what is made of other characters is a name. */
static int take_step(struct parser *parser, const char *value)
{
	struct filter_settings *scope = &parser->options->scope;
	const char *dots = strstr(value, "..");
	size_t first = strspn(value, "0123456789");
	char text[32];

	if (!*value || value[strspn(value, "0123456789.")])
		return take_step_name(parser, value);
	if ((dots ? value + first != dots || !(first || dots[2]) : value[first]) ||
	    strlen(value) >= sizeof(text) || (dots && strchr(dots + 2, '.')))
		return parser_fail(
			parser, "--step '%s' is not N or A..B, as in 7, 5..9, 100.. or ..9", value);
	snprintf(text, sizeof(text), "%.*s", (int)first, value);
	scope->by_step = true;
	scope->step_first = 0;
	scope->step_last = UINT64_MAX;
	if (first && parser_number(parser, "step", text, &scope->step_first))
		return -1;
	if (!dots)
		scope->step_last = scope->step_first;
	else if (dots[2] && parser_number(parser, "step", dots + 2, &scope->step_last))
		return -1;
	if (scope->step_last < scope->step_first)
		return parser_fail(parser, "--step '%s' ends before it begins", value);
	return 0;
}

static int take_range(struct parser *parser, const char *value)
{
	if (parser->options->scope.range)
		return parser_fail(parser, "--range and --during: only one of them can be given, "
					   "and only once");
	parser->options->scope.range = value;
	return 0;
}

static int take_during(struct parser *parser, const char *value)
{
	parser->options->scope.during = true;
	return take_range(parser, value);
}

static int take_live(struct parser *parser, const char *value)
{
	(void)value;
	parser->options->live = true;
	return 0;
}

static int take_wait(struct parser *parser, const char *value)
{
	uint64_t seconds = WAIT_MAX_S;

	if (value && parser_number(parser, "wait", value, &seconds))
		return -1;
	parser->options->waits = true;
	parser->options->wait_s = seconds < WAIT_MAX_S ? (unsigned int)seconds : WAIT_MAX_S;
	return 0;
}

static int take_no_color(struct parser *parser, const char *value)
{
	(void)value;
	parser->options->no_color = true;
	return 0;
}

static int take_list(struct parser *parser, const char *value)
{
	(void)value;
	parser->options->list = true;
	return 0;
}

static int take_help(struct parser *parser, const char *value)
{
	(void)value;
	parser->options->help = true;
	return 0;
}

static int take_version(struct parser *parser, const char *value)
{
	(void)value;
	parser->options->version = true;
	return 0;
}

static const struct option_info {
	const char *name;
	char letter;
	unsigned int group;
	const char *argument;
	int (*take)(struct parser *parser, const char *value);
	enum report_option of_report; /* of a report's own: those have no take() */
	const char *choices;
} option_infos[] = {
#define OPTION(id, name, letter, group, argument, doc) \
	{ name, letter, group, argument, take_##id, REPORT_OPTION_LIMIT, NULL },
#include "report/options/options.def"
#define REPORT_OPTION(id, argument, choices, doc) \
	{ #id, 0, TAKES_##id, argument, NULL, REPORT_OPTION_##id, choices },
#include "report/families.def"
};

#define OPTION_COUNT (sizeof(option_infos) / sizeof(option_infos[0]))
#define CHOICES_MAX 16

static int parser_take_own(struct parser *parser, const struct option_info *option,
			   const char *value)
{
	char words[128], *at = words;
	const char *choice[CHOICES_MAX];
	size_t count = 0;
	int chosen = 0;

	if (!option->argument) /* a switch: that it is there says all */
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

/* The option of that name that is a report's own. */
static const struct option_info *option_of_reports(const char *name)
{
	size_t at = 0;

	while (option_infos[at].take || strcmp(option_infos[at].name, name) != 0)
		at++;
	return &option_infos[at];
}

/* What is no number of a step is the name of report `steps`' own --step. */
static int take_step_name(struct parser *parser, const char *value)
{
	const struct option_info *own = option_of_reports("step");

	parser->options->given |= own->group;
	parser->options->given_name[__builtin_ctz(own->group)] = "step NAME";
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

/* An argument that may be missing is a number; what comes next is a file else. */
static bool argument_is_missing(const struct parser *parser, const struct option_info *option)
{
	const char *next = parser->at + 1 < parser->argc ? parser->argv[parser->at + 1] : "";

	return *option->argument == '[' && (!*next || next[strspn(next, "0123456789")]);
}

/* "flame --time" is of what is sampled, which is time. An option or a file follows: a wrong A..B is not taken for that. */
static bool time_is_meant(const struct parser *parser, const struct option_info *option)
{
	const struct options *options = parser->options;
	const char *next = parser->at + 1 < parser->argc ? parser->argv[parser->at + 1] : "-";

	return option->take == take_time && options->report_named &&
	       report_infos[options->report].takes & TAKES_of &&
	       (*next == '-' || access(next, F_OK) == 0) && !strstr(next, "..");
}

static int parser_take(struct parser *parser, const struct option_info *option, const char *value)
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
		parser->options->given_name[__builtin_ctz(option->group)] = option->name;
	return option->take ? option->take(parser, value) : parser_take_own(parser, option, value);
}

static int parser_take_long(struct parser *parser, const char *argument)
{
	const char *equals = strchr(argument, '=');
	size_t length = equals ? (size_t)(equals - argument) - 2 : strlen(argument) - 2;
	const struct option_info *option = option_find(argument + 2, length);

	if (!option)
		return parser_unknown(parser, argument, length);
	return parser_take(parser, option, equals ? equals + 1 : NULL);
}

/* -h, -n5, -n 5, -o FILE; one letter an argument. */
static int parser_take_short(struct parser *parser, const char *argument)
{
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const struct option_info *option = &option_infos[i];

		if (option->letter == argument[1])
			return parser_take(parser, option, argument[2] ? argument + 2 : NULL);
	}
	return parser_fail(parser, "unknown option '-%c'; prof-report --help lists them",
			   argument[1]);
}

/* The first argument is a report when it has a report's name; ./alloc is a file. */
static void parser_take_plain(struct parser *parser, char *argument)
{
	struct options *options = parser->options;

	/* `prof-report help`, then maybe a report; ./help is a file. */
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

static bool report_is_named(const char *word)
{
	for (int i = 0; i < REPORT_LIMIT; i++)
		if (!strcmp(report_infos[i].name, word) || !strcmp(report_infos[i].id, word))
			return true;
	return false;
}

/* "aloc run.evt": a word like a report's name that is no file either. */
static int parser_check_word(struct parser *parser)
{
	const struct options *options = parser->options;
	struct text_nearest nearest;
	const char *word;

	if (!options->file_count || report_infos[options->report].takes & TAKES_COMPARE)
		return 0;
	word = options->file[0];
	if (options->report_named)
		return report_is_named(word) && access(word, F_OK)
			       ? parser_fail(parser,
					     "'%s' and '%s' are both reports; only one report at "
					     "a time",
					     report_infos[options->report].name, word)
			       : 0;
	if (strpbrk(word, "./") || access(word, F_OK) == 0)
		return 0;
	text_nearest_init(&nearest, word);
	for (int i = 0; i < REPORT_LIMIT; i++)
		text_nearest_try(&nearest, report_infos[i].name);
	if (!nearest.best)
		return parser_fail(parser,
				   "'%s' is neither a report nor a file; prof-report --list names "
				   "the reports",
				   word);
	return parser_fail(parser, "'%s' is neither a report nor a file; did you mean '%s'?", word,
			   nearest.best);
}

/* A flame graph is drawn where the name of the output says so, and nothing else is. */
static int parser_check_drawn(struct parser *parser)
{
	struct options *options = parser->options;
	const char *end = options->output ? strrchr(options->output, '.') : NULL;
	bool is_drawn = options->format == FORMAT_FOLDED || options->format == FORMAT_SVG;

	if (options->report == REPORT_flame && !options->format_given && end)
		options->format = !strcmp(end, ".svg")      ? FORMAT_SVG
				  : !strcmp(end, ".folded") ? FORMAT_FOLDED
							    : options->format;
	if (options->format == FORMAT_PSTATS && options->report != REPORT_functions &&
	    !options->help)
		return parser_fail(parser,
				   "report '%s' has no --format pstats: it is of report functions",
				   report_infos[options->report].name);
	if (!is_drawn || options->report == REPORT_flame || options->help)
		return 0;
	return parser_fail(parser,
			   "report '%s' has no --format %s: it is of report flame; try table, csv, "
			   "json or markdown",
			   report_infos[options->report].name,
			   export_format_names[options->format]);
}

static bool report_takes(const struct report_info *report, unsigned int group)
{
	return report->takes & group || (group == TAKES_OUTPUT && report->takes & TAKES_FORMAT);
}

#define REPORTS_NAMED 6u /* in a message; more are a list that nobody reads */

/* The reports that take the options of a group, with commas; "" when there are too many to name. */
static void name_reports(unsigned int group, char *ret_reports, size_t room)
{
	unsigned int count = 0;
	size_t used = 0;

	ret_reports[0] = 0;
	for (int i = 0; i < REPORT_LIMIT; i++) {
		if (!report_takes(&report_infos[i], group))
			continue;
		used += (size_t)snprintf(ret_reports + used, room - used, "%s%s",
					 count++ ? ", " : "", report_infos[i].name);
		if (count > REPORTS_NAMED || used >= room) {
			ret_reports[0] = 0;
			return;
		}
	}
}

static int parser_refuse_group(struct parser *parser, const char *report, unsigned int bit)
{
	const char *option = parser->options->given_name[bit];
	char reports[256];

	name_reports(1u << bit, reports, sizeof(reports));
	if (reports[0])
		return parser_fail(parser, "report '%s' takes no --%s; these do: %s", report,
				   option, reports);
	return parser_fail(parser,
			   "report '%s' takes no --%s; prof-report help %s lists what it takes",
			   report, option, report);
}

/* "functions --sampled" is report lines, which has functions too. */
static void parser_turn_to_samples(struct parser *parser)
{
	struct options *options = parser->options;

	if (options->report != REPORT_functions || !(options->given & TAKES_sampled) ||
	    options->help)
		return;
	options->given &= ~TAKES_sampled;
	options->report = REPORT_lines;
	options->by_name = options->by_name ? options->by_name : "function";
	options->sort = options->sort ? options->sort : "total_cpu_ns";
}

/* Options that the report has no use for would be ignored in silence: they are refused. */
static int parser_check(struct parser *parser)
{
	const struct options *options = parser->options;
	const struct report_info *report = &report_infos[options->report];

	for (unsigned int bit = 0; bit < OPTION_GROUPS; bit++)
		if (options->given & 1u << bit && !report_takes(report, 1u << bit) &&
		    !options->help)
			return parser_refuse_group(parser, report->name, bit);
	if (parser_check_drawn(parser))
		return -1;
	if (options->raw && options->format != FORMAT_CSV && !options->help)
		return parser_fail(parser, "--raw is for csv only: add --format csv");
	return 0;
}

/* The keys of --by are the report's own, whose name may come after it. */
static int parser_choose_key(struct parser *parser)
{
	struct options *options = parser->options;
	const char *name[KEY_ID_LIMIT];
	int first = 0, count = 0, chosen = 0;

	while (first < KEY_ID_LIMIT &&
	       strcmp(key_list[first].report, report_infos[options->report].id) != 0)
		first++;
	while (first + count < KEY_ID_LIMIT &&
	       !strcmp(key_list[first + count].report, key_list[first].report)) {
		name[count] = key_list[first + count].name;
		count++;
	}
	if (!options->by_name && options->report == REPORT_functions &&
	    (options->of_report[REPORT_OPTION_callers].text ||
	     options->of_report[REPORT_OPTION_callees].text))
		options->by_name = "caller";
	if (options->format == FORMAT_PSTATS && options->by_name)
		return parser_fail(parser, "--format pstats has all functions and callers: leave "
					   "out --by, --callers and --callees");
	if (options->by_name && count)
		chosen = parser_choose(parser, "by", options->by_name, name, (size_t)count);
	options->by = (enum key_id)(count ? first + chosen : 0);
	return chosen < 0 ? -1 : 0;
}

/* Of a report that is of one run, those to compare with are no files of it. */
static int parser_split_base(struct parser *parser)
{
	struct options *options = parser->options;

	if (options->against == SIZE_MAX || options->help ||
	    report_infos[options->report].takes & TAKES_COMPARE)
		return 0;
	options->base_count = options->file_count - options->against;
	options->file_count = options->against;
	if (options->base_count) {
		options->base = memory_zero(options->base_count, sizeof(*options->base));
		memcpy(options->base, options->file + options->against,
		       options->base_count * sizeof(*options->base));
		return 0;
	}
	return parser_fail(parser,
			   "--against: no recording follows it; name those to compare with, as in "
			   "%s NEW.evt --against BASE.evt",
			   report_infos[options->report].name);
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
	if (parser_check_word(&parser) != 0)
		return -1;
	parser_turn_to_samples(&parser);
	if (parser_check(&parser) != 0 || parser_split_base(&parser) != 0)
		return -1;
	return parser_choose_key(&parser);
}

void options_release(struct options *options)
{
	free(options->filter);
	free(options->fail_if);
	free(options->file);
	free(options->base);
}
