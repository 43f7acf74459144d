/* SPDX-License-Identifier: MIT */
/*
 * Checks a command line as a whole, once all of it is read: whether the report takes the options
 * that were given, whether its key exists, and whether one of its files is really a misspelt word.
 */
#include "report/options/parser.h"

#include <string.h>
#include <unistd.h>

#include "report/base/memory.h"
#include "report/base/text.h"

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

/* A flame graph is drawn if the name of the output says so, and no other format was selected. */
static int parser_check_drawn(struct parser *parser)
{
	struct options *options = parser->options;
	const char *end = options->output ? strrchr(options->output, '.') : NULL;
	bool is_drawn = options->format == FORMAT_FOLDED || options->format == FORMAT_SVG;
	bool draws = options->report == REPORT_flame ||
		     (options->report == REPORT_diff && options->given & TAKES_flame);

	if (draws && !options->format_given && end)
		options->format = !strcmp(end, ".svg")      ? FORMAT_SVG
				  : !strcmp(end, ".folded") ? FORMAT_FOLDED
							    : options->format;
	if (options->format == FORMAT_PSTATS && options->report != REPORT_functions &&
	    !options->help)
		return parser_fail(parser,
				   "report '%s' has no --format pstats: it is of report functions",
				   report_infos[options->report].name);
	if (!is_drawn || draws || options->help)
		return 0;
	return parser_fail(parser,
			   "report '%s' has no --format %s: it is of report flame and of diff "
			   "--flame; try table, csv, json or markdown",
			   report_infos[options->report].name,
			   export_format_names[options->format]);
}

static bool report_takes(const struct report_info *report, uint64_t group)
{
	return report->takes & group || (group == TAKES_OUTPUT && report->takes & TAKES_FORMAT);
}

#define REPORTS_NAMED 6u /* more names in a message would not be read */

/*
 * Names the reports that take the options of a group, separated by commas; "" if there are too
 * many.
 */
static void name_reports(uint64_t group, char *ret_reports, size_t room)
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

	name_reports(UINT64_C(1) << bit, reports, sizeof(reports));
	if (reports[0])
		return parser_fail(parser, "report '%s' takes no --%s; these do: %s", report,
				   option, reports);
	return parser_fail(parser,
			   "report '%s' takes no --%s; prof-report help %s lists what it takes",
			   report, option, report);
}

/* "functions --sampled" means report lines, which shows functions too. */
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

/* Options that the report does not use are refused, not ignored. */
static int parser_check_groups(struct parser *parser)
{
	const struct options *options = parser->options;
	const struct report_info *report = &report_infos[options->report];

	for (unsigned int bit = 0; bit < OPTION_GROUPS; bit++)
		if (options->given & UINT64_C(1) << bit &&
		    !report_takes(report, UINT64_C(1) << bit) && !options->help)
			return parser_refuse_group(parser, report->name, bit);
	if (parser_check_drawn(parser))
		return -1;
	if (options->raw && options->format != FORMAT_CSV && !options->help)
		return parser_fail(parser, "--raw is for csv only: add --format csv");
	return 0;
}

/* The keys of --by depend on the report, whose name may come after the option. */
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

/* For a report on one run: files behind --against are not files of the report. */
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

int parser_check(struct parser *parser)
{
	if (parser_check_word(parser) != 0)
		return -1;
	parser_turn_to_samples(parser);
	if (parser_check_groups(parser) != 0 || parser_split_base(parser) != 0)
		return -1;
	return parser_choose_key(parser);
}
