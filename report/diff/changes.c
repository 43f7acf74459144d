/* SPDX-License-Identifier: MIT */
/*
 * Rows are sorted within their group: real changes before noise, then by size. The table gets the
 * most important ones, up to the limit.
 */
#include "report/diff/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/table/cells.h"

#define EXACT_MAX 9.0e15 /* larger integers are not exact in a double */

void changes_add(struct changes *changes, const struct one_change *change, bool keeps_same)
{
	const struct change *values = &change->change;
	bool is_nothing = values->before == 0 && values->after == 0;

	if ((!values->has_before && !values->has_after) ||
	    (!keeps_same && (values->verdict == VERDICT_SAME || is_nothing)))
		return;
	changes->change = memory_room(changes->change, changes->count, &changes->room,
				      sizeof(*changes->change));
	changes->change[changes->count++] = *change;
}

static double size_of(const struct change *change)
{
	return fabs((change->has_after ? change->after : 0) -
		    (change->has_before ? change->before : 0));
}

static bool is_dull(const struct change *change)
{
	return change->verdict == VERDICT_NOISE || change->verdict == VERDICT_SAME ||
	       change->verdict == VERDICT_SLIGHT;
}

static int compare_changes(const void *left, const void *right)
{
	const struct one_change *a = left, *b = right;
	double sizes = size_of(&b->change) - size_of(&a->change);

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (is_dull(&a->change) != is_dull(&b->change))
		return is_dull(&a->change) ? 1 : -1;
	if (sizes != 0)
		return sizes > 0 ? 1 : -1;
	return a->row && b->row ? strcmp(a->row, b->row) : 0;
}

void changes_arrange(struct changes *changes, size_t from, size_t most)
{
	if (changes->count == from)
		return;
	qsort(changes->change + from, changes->count - from, sizeof(*changes->change),
	      compare_changes);
	if (changes->count - from > most)
		changes->count = from + most;
}

static void put_value(struct table *table, enum column_id column, double value, enum unit unit)
{
	if (isnan(value))
		return;
	if (unit == UNIT_PERCENT || fabs(value) > EXACT_MAX)
		table_set_real(table, column, value);
	else if (value < 0)
		table_set_signed_amount(table, column, (int64_t)llround(value), unit);
	else
		table_set_amount(table, column, (uint64_t)llround(value), unit);
}

static void put_changed(const struct one_change *one, struct table *table)
{
	const struct change *change = &one->change;
	double by = change->after - change->before, base = fabs(change->before);

	put_value(table, COLUMN_diff_change, by, one->unit);
	put_value(table, COLUMN_diff_size, fabs(by), one->unit);
	put_value(table, COLUMN_diff_noise, change->noise, one->unit);
	if (base > 0 && one->unit != UNIT_PERCENT)
		table_set_real(table, COLUMN_diff_percent, by / base * 100);
	if (base > 0 && !isnan(change->noise))
		table_set_real(table, COLUMN_diff_noise_percent, change->noise / base * 100);
}

static const char *changes_path_of(const struct one_change *one, struct table *table)
{
	const char *report = report_infos[one->report].name;

	return one->row ? text_store_format(&table->texts, "%s[%s].%s", report, one->row,
					    one->metric)
			: text_store_format(&table->texts, "%s.%s", report, one->metric);
}

void changes_fill(const struct changes *changes, struct table *table, bool paths)
{
	for (size_t i = 0; i < changes->count; i++) {
		const struct one_change *one = &changes->change[i];
		const struct change *change = &one->change;

		table_add_row(table);
		table_put_text(table, COLUMN_diff_what,
			       paths ? changes_path_of(one, table)
			       : one->row
				       ? one->row
				       : text_store_format(&table->texts, "all: %s", one->metric));
		table_put_text(table, COLUMN_diff_report, report_infos[one->report].name);
		table_put_text(table, COLUMN_diff_row, one->row);
		table_put_text(table, COLUMN_diff_metric, one->metric);
		table_put_text(table, COLUMN_diff_unit, unit_name(one->unit));
		table_put_text(table, COLUMN_diff_verdict, verdict_names[change->verdict]);
		table_set_number(table, COLUMN_diff_runs, change->runs);
		table_set_number(table, COLUMN_diff_runs_after, change->runs_after);
		if (change->has_before)
			put_value(table, COLUMN_diff_before, change->before, one->unit);
		if (change->has_after)
			put_value(table, COLUMN_diff_after, change->after, one->unit);
		if (change->has_before && change->has_after)
			put_changed(one, table);
	}
}

void changes_release(struct changes *changes)
{
	free(changes->change);
}
