/* SPDX-License-Identifier: MIT */
/* Report `diff`: compares two runs, or one run with several. */
#include "report/core/report_kind.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/base/memory.h"
#include "report/diff/diff.h"
#include "report/stacks/stack_source.h"

/* --- the command line --- */

/* A word that is the name of a report, and of no file, selects what to compare. */
static int diff_take_words(struct diff *diff)
{
	const struct options *options = diff->request->options;

	diff->file = memory_zero(options->file_count + 1, sizeof(*diff->file));
	diff->against = options->against;
	for (size_t i = 0; i < options->file_count; i++) {
		int id = 0;

		while (id < REPORT_LIMIT && strcmp(report_infos[id].name, options->file[i]) != 0 &&
		       strcmp(report_infos[id].id, options->file[i]) != 0)
			id++;
		if (id == REPORT_LIMIT || !access(options->file[i], F_OK)) {
			diff->file[diff->file_count++] = options->file[i];
			continue;
		}
		if (diff->has_report)
			return diff_fail(
				diff,
				"diff: '%.100s' is a second report; only one report at a time",
				options->file[i]);
		if (!batch_takes((enum report_id)id))
			return diff_fail(diff, "diff: report '%.100s' has no rows to compare",
					 options->file[i]);
		diff->report = (enum report_id)id;
		diff->has_report = true;
		if (options->against != SIZE_MAX && i < options->against)
			diff->against--;
	}
	return STATUS_OK;
}

/* --flame is the report `flame`, of functions. */
static int diff_take_flame(struct diff *diff)
{
	const struct options *options = diff->request->options;
	const struct report_option_value *value = &options->of_report[REPORT_OPTION_value];

	if (options->given & TAKES_flame && diff->has_report && diff->report != REPORT_flame)
		return diff_fail(diff, "diff: --flame is of report flame: leave out '%.100s'",
				 report_infos[diff->report].name);
	if (options->given & TAKES_flame) {
		diff->report = REPORT_flame;
		diff->has_report = true;
	}
	if (options->given & (TAKES_of | TAKES_value) &&
	    (!diff->has_report || !(report_infos[diff->report].takes & TAKES_of)))
		return diff_fail(diff, "diff: --%s is of stacks: add --flame",
				 options->given & TAKES_of ? "of" : "value");
	diff->per_step = options->of_report[REPORT_OPTION_per].choice;
	if (diff->per_step && diff->report != REPORT_flame)
		return diff_fail(diff, "diff: --per %s is of stacks: add --flame", "step");
	if (diff->per_step && value->text &&
	    (value->choice == STACK_LIVE || value->choice == STACK_PEAK))
		return diff_fail(diff, "diff: --per step: --value %s is no sum over steps",
				 value->text);
	return STATUS_OK;
}

static int diff_choose_key(struct diff *diff)
{
	const char *name = diff->request->options->by_name;

	if (name && !diff->has_report)
		return diff_fail(
			diff, "diff: --by '%.100s' is of a report: name it behind the files", name);
	if (!diff->has_report)
		return STATUS_OK;
	diff->by = name ? batch_key(diff->report, name) : joined_key(diff->report);
	if (!name && diff->request->options->given & TAKES_flame)
		diff->by = batch_key(REPORT_flame, "function");
	if (name && diff->by == KEY_ID_LIMIT)
		return diff_fail(
			diff, "diff: the report has no --by '%.100s'; its --help lists them", name);
	return STATUS_OK;
}

static int diff_parse_conditions(struct diff *diff)
{
	const struct options *options = diff->request->options;

	diff->condition = memory_zero(options->fail_if_count + 1, sizeof(*diff->condition));
	for (size_t i = 0; i < options->fail_if_count; i++)
		if (condition_parse(&diff->condition[i], options->fail_if[i],
				    diff->request->message, sizeof(diff->request->message)))
			return STATUS_USAGE;
	return STATUS_OK;
}

/*
 * Values of --columns, --sort and --filter that cannot be right are refused before anything is
 * read.
 */
int diff_prepare(struct diff *diff)
{
	int status = diff_take_words(diff);

	if (!status)
		status = diff_take_flame(diff);
	if (!status)
		status = diff_choose_key(diff);
	if (!status)
		status = diff_parse_conditions(diff);
	table_init(&diff->table, "diff", NULL);
	if (!status)
		status = request_prepare(diff->request, &diff->table);
	return status;
}

/* --- the report --- */

static int diff_judge(struct diff *diff)
{
	int status = STATUS_OK;

	fflush(stdout);
	for (size_t i = 0; i < diff->request->options->fail_if_count; i++) {
		int result = condition_judge(&diff->condition[i], &diff->sides);

		status = result > status ? result : status;
	}
	return status;
}

static int diff_show(struct diff *diff)
{
	enum export_format format = diff->request->options->format;
	int status = STATUS_INPUT, faults, judged;

	if ((format != FORMAT_SVG && format != FORMAT_FOLDED) ||
	    diff_has_stacks(diff, diff->place, true))
		status = diff_write(diff, NULL);
	if (status)
		return status;
	faults = sides_say_faults(&diff->sides);
	judged = diff_judge(diff);
	return judged ? judged : faults;
}

static int diff_files(struct report_request *request)
{
	struct diff *diff = memory_zero(1, sizeof(*diff));
	int status;

	diff->request = request;
	diff->by = KEY_ID_LIMIT;
	status = diff_prepare(diff);
	if (!status)
		status = diff_read(diff);
	if (!status)
		status = diff_show(diff);
	diff_release(diff);
	free(diff);
	return status;
}

const struct report_kind report_kind_diff = { .read_files = diff_files };
