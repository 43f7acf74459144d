/* SPDX-License-Identifier: MIT */
/*
 * Parses a condition from left to right and compares each matching value with the limit. A
 * condition that cannot be decided is a failure: a check that compares nothing must not pass.
 */
#include "report/diff/condition.h"

#include <math.h>
#include <string.h>

#include "report/base/talk.h"
#include "report/base/text.h"

#define EXAMPLE "as in steps.p50_ns>+5%%, alloc.peak_bytes>+10MiB or ops[aten::mm].self_cpu_ns>+5%%"

static int parse_report(struct condition *condition, const char *name, size_t length)
{
	for (int i = 0; i < REPORT_LIMIT; i++) {
		if ((strlen(report_infos[i].name) != length ||
		     memcmp(report_infos[i].name, name, length) != 0) &&
		    (strlen(report_infos[i].id) != length ||
		     memcmp(report_infos[i].id, name, length) != 0))
			continue;
		condition->report = (enum report_id)i;
		condition->by = joined_key(condition->report);
		return batch_takes(condition->report) ? 0 : -1;
	}
	return -1;
}

/*
 * "[ROW]" in front of the last "]." in the text, because a row's name may contain any characters.
 */
static const char *parse_row(struct condition *condition, const char *at)
{
	const char *end = NULL;

	if (*at != '[')
		return at;
	for (const char *next = strstr(at, "]."); next; next = strstr(next + 1, "]."))
		end = next;
	if (!end)
		return NULL;
	condition->row = at + 1;
	condition->row_length = (size_t)(end - at) - 1;
	return end + 1;
}

static int parse_limit(struct condition *condition, const char *at)
{
	size_t length;
	double number;

	condition->is_of_change = *at == '+' || *at == '-';
	length = strlen(at);
	condition->is_percent = length && at[length - 1] == '%';
	condition->limit = at;
	condition->limit_length = length - condition->is_percent;
	condition->is_of_change |= condition->is_percent;
	/* its unit can be checked only when the column is known */
	return unit_parse(at, condition->limit_length,
			  condition->is_percent ? UNIT_PERCENT : UNIT_NS, &number) &&
			       unit_parse(at, condition->limit_length, UNIT_BYTES, &number) &&
			       unit_parse(at, condition->limit_length, UNIT_COUNT, &number)
		       ? -1
		       : 0;
}

int condition_parse(struct condition *condition, const char *text, char *message,
		    size_t message_bytes)
{
	size_t length = strcspn(text, "[.<>="), name;
	const char *at = text + length;

	*condition = (struct condition){ .text = text };
	if (parse_report(condition, text, length)) {
		snprintf(message, message_bytes,
			 "--fail-if '%.150s': it begins with no report that has rows, " EXAMPLE,
			 text);
		return -1;
	}
	at = parse_row(condition, at);
	name = at && *at == '.' ? strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789_") : 0;
	if (!name || name >= CONDITION_NAME_BYTES || (at[1 + name] != '>' && at[1 + name] != '<') ||
	    (condition->is_less = at[1 + name] == '<', parse_limit(condition, at + 2 + name))) {
		snprintf(message, message_bytes,
			 "--fail-if '%.150s' is not REPORT.COLUMN, > or <, and a limit, " EXAMPLE,
			 text);
		return -1;
	}
	snprintf(condition->column, sizeof(condition->column), "%.*s", (int)name, at + 1);
	return 0;
}

/* Returns the value that the limit applies to; NAN: the change has none. */
static double condition_value_of(const struct condition *condition, const struct change *change)
{
	if (!condition->is_of_change)
		return change->has_after ? change->after : NAN;
	if (!change->has_after || (!change->has_before && condition->is_percent))
		return NAN;
	if (!condition->is_percent)
		return change->after - (change->has_before ? change->before : 0);
	if (change->before == 0)
		return change->after == 0 ? 0 : change->after > 0 ? INFINITY : -INFINITY;
	return (change->after - change->before) / fabs(change->before) * 100;
}

static void format_value(char text[UNIT_TEXT_BYTES], bool has, double value, enum unit unit)
{
	if (has)
		unit_format_signed(text, unit, (int64_t)llround(value));
	else
		snprintf(text, UNIT_TEXT_BYTES, "nothing");
}

static void say(const struct condition *condition, const char *row, const struct change *change,
		enum unit unit, const char *what)
{
	char before[UNIT_TEXT_BYTES], after[UNIT_TEXT_BYTES],
		percent[UNIT_TEXT_BYTES + 8] = "", noise[64] = "";

	format_value(before, change->has_before, change->before, unit);
	format_value(after, change->has_after, change->after, unit);
	if (change->has_before && change->has_after && change->before != 0)
		snprintf(percent, sizeof(percent), ", %+.1f %%",
			 (change->after - change->before) / fabs(change->before) * 100);
	if (!isnan(change->noise) && change->before != 0)
		snprintf(noise, sizeof(noise), ", noise up to %.1f %%",
			 change->noise / fabs(change->before) * 100);
	talk_print("--fail-if '%s': %s: %s%s%s before, %s after%s%s", condition->text, what,
		   row ? row : "", row ? ": " : "", before, after, percent, noise);
}

/* Compares one change with the limit. */
static int judge_of_condition(const struct condition *condition, const char *row,
			      const struct change *change, enum unit unit)
{
	double limit = 0, value = condition_value_of(condition, change);

	if (unit_parse(condition->limit, condition->limit_length,
		       condition->is_percent ? UNIT_PERCENT : unit, &limit)) {
		talk_print("--fail-if '%s': the limit is not %s", condition->text,
			   unit_allowed(unit));
		return STATUS_USAGE;
	}
	if (isnan(value)) {
		say(condition, row, change, unit, "cannot be judged");
		return STATUS_INPUT;
	}
	if (condition->is_less ? value >= limit : value <= limit)
		return STATUS_OK;
	if (condition->is_of_change && change->verdict == VERDICT_NOISE) {
		say(condition, row, change, unit, "beyond the limit, but noise");
		return STATUS_OK;
	}
	say(condition, row, change, unit, "met");
	return STATUS_CHECK;
}

static int judge_rows(const struct condition *condition, const struct sides *sides, size_t column)
{
	const struct batch_report *one = sides->side[0].batch.report[condition->place];
	struct joined joined;
	int status = STATUS_OK;
	size_t found = 0;

	joined_make(&joined, sides, condition->place);
	for (size_t i = 0; i < joined.count; i++) {
		const struct joined_row *row = &joined.row[i];
		struct change change;
		int result;

		if (condition->row && !text_matches(row->name, strlen(row->name), condition->row,
						    condition->row_length))
			continue;
		change = joined_change(&joined, row, column);
		if (!change.has_before && !change.has_after)
			continue;
		found++;
		/* for all rows: a row that is new or gone has no change in percent */
		if (!condition->row && isnan(condition_value_of(condition, &change)))
			continue;
		result = judge_of_condition(condition, row->name, &change,
					    one->job.table.column[column]->unit);
		status = result > status ? result : status;
	}
	joined_release(&joined);
	if (found)
		return status;
	talk_print("--fail-if '%s': neither run has such a row", condition->text);
	return STATUS_INPUT;
}

int condition_judge(const struct condition *condition, const struct sides *sides)
{
	const struct batch_report *one = sides->side[0].batch.report[condition->place];
	enum unit unit;
	struct change change = joined_change_total(sides, condition->place, condition->column,
						   &unit);
	int column = columns_find(one->job.table.column, one->job.table.column_count,
				  condition->column, strlen(condition->column));

	if (!condition->row && (change.has_before || change.has_after))
		return judge_of_condition(condition, NULL, &change, unit);
	if (column >= 0 && joined_compares(one, (size_t)column))
		return judge_rows(condition, sides, (size_t)column);
	talk_print("--fail-if '%s': report '%s' has no total and no column '%s' with a value",
		   condition->text, report_infos[condition->report].name, condition->column);
	return STATUS_INPUT;
}
