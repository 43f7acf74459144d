/* SPDX-License-Identifier: MIT */
/*
 * Reads all runs once, compares the reports that both sides have, and fills the table of changes.
 */
#include "report/diff/diff.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/stacks/stack_report.h"

#define TOTALS_GROUP 0
#define UNLIMITED SIZE_MAX

static const struct diff_shown overview[DIFF_OVERVIEW] = {
#define DIFF_FACT(report, key, fact) { REPORT_##report, #key, #fact, 0, 0 },
#include "report/diff/diff.def"
#define DIFF_ROWS(report, key, column, rows) { REPORT_##report, #key, #column, rows, 0 },
#include "report/diff/diff.def"
};

int diff_fail(struct diff *diff, const char *format, const char *word)
{
	snprintf(diff->request->message, sizeof(diff->request->message), format, word);
	return STATUS_USAGE;
}

/* --- reading --- */

static const struct {
	const char *of;
	enum stack_value value;
} flames[DIFF_FLAMES] = {
#define DIFF_FLAME(of, value) { #of, STACK_##value },
#include "report/diff/diff.def"
};

/* Each has its own --of and --value. */
static void diff_want_flames(struct diff *diff)
{
	for (size_t i = 0; i < DIFF_FLAMES && diff->has_flames; i++) {
		diff->flame[i] = sides_add_own(&diff->sides, REPORT_flame,
					       batch_key(REPORT_flame, "function"));
		for (size_t side = 0; side < diff->sides.count; side++) {
			struct batch *batch = &diff->sides.side[side].batch;
			struct options *own = &batch->report[diff->flame[i]]->options;

			own->of_report[REPORT_OPTION_of].text = flames[i].of;
			own->of_report[REPORT_OPTION_value] = (struct report_option_value){
				"", flames[i].value
			};
		}
	}
}

static void diff_want(struct diff *diff)
{
	if (diff->per_step)
		diff->steps = sides_add(&diff->sides, REPORT_steps, joined_key(REPORT_steps));
	if (diff->has_report)
		diff->place = sides_add(&diff->sides, diff->report, diff->by);
	memcpy(diff->shown, overview, sizeof(overview));
	for (size_t i = 0; i < DIFF_OVERVIEW && !diff->has_report; i++)
		diff->shown[i].place = sides_add(
			&diff->sides, overview[i].report,
			*overview[i].key ? batch_key(overview[i].report, overview[i].key)
					 : joined_key(overview[i].report));
	for (size_t i = 0; i < diff->request->options->fail_if_count; i++)
		diff->condition[i].place = sides_add(
			&diff->sides, diff->condition[i].report,
			diff->has_report && diff->condition[i].report == diff->report
				? diff->by
				: diff->condition[i].by);
	diff_want_flames(diff);
}

/* Each side's stacks are divided by its own steps. */
static int diff_count_steps(struct diff *diff)
{
	for (size_t i = 0; i < diff->sides.count && diff->per_step; i++) {
		struct side *side = &diff->sides.side[i];

		side->steps = (double)side->batch.report[diff->steps]->job.table.row_count;
		if (side->steps > 0)
			continue;
		snprintf(diff->request->message, sizeof(diff->request->message),
			 "--per step: '%.300s' has no steps; leave it out, or see prof-report "
			 "steps --help",
			 side->name);
		return STATUS_INPUT;
	}
	return STATUS_OK;
}

int diff_read(struct diff *diff)
{
	int status = sides_open(&diff->sides, diff->request, diff->file, diff->file_count,
				diff->against);

	if (status)
		return status;
	diff_want(diff);
	status = sides_read(&diff->sides);
	return status ? status : diff_count_steps(diff);
}

/* --- changes --- */

static void add_total(struct diff *diff, enum report_id report, size_t place, const char *fact,
		      bool keeps_same)
{
	struct one_change one = { .report = report, .metric = fact, .group = TOTALS_GROUP };

	one.change = joined_change_total(&diff->sides, place, fact, &one.unit);
	changes_add(&diff->changes, &one, keeps_same);
}

static void add_rows(struct diff *diff, const struct joined *joined, enum report_id report,
		     size_t column, size_t group, size_t most, bool keeps_same)
{
	const struct batch_report *of = diff->sides.side[0].batch.report[joined->place];
	size_t from = diff->changes.count;

	for (size_t i = 0; i < joined->count; i++) {
		struct one_change one = { .report = report,
					  .row = joined->row[i].name,
					  .metric = of->job.table.column[column]->name,
					  .unit = of->job.table.column[column]->unit,
					  .group = group };

		one.change = joined_change(joined, &joined->row[i], column);
		changes_add(&diff->changes, &one, keeps_same);
	}
	changes_arrange(&diff->changes, from, most);
}

static struct joined *diff_join(struct diff *diff, size_t place)
{
	diff->joined = memory_room(diff->joined, diff->joined_count, &diff->joined_room,
				   sizeof(*diff->joined));
	joined_make(&diff->joined[diff->joined_count], &diff->sides, place);
	return &diff->joined[diff->joined_count++];
}

static void diff_overview(struct diff *diff)
{
	for (size_t i = 0; i < DIFF_OVERVIEW; i++) {
		const struct diff_shown *shown = &diff->shown[i];
		const struct table
			*table = &diff->sides.side[0].batch.report[shown->place]->job.table;
		int column = columns_find(table->column, table->column_count, shown->column,
					  strlen(shown->column));

		diff->is_one_sided[shown->report] = joined_is_one_sided(&diff->sides,
									shown->place) &&
						    shown->report != REPORT_summary;
		if (diff->is_one_sided[shown->report])
			continue;
		if (!shown->rows)
			add_total(diff, shown->report, shown->place, shown->column, false);
		else if (column >= 0)
			add_rows(diff, diff_join(diff, shown->place), shown->report, (size_t)column,
				 i + 1, shown->rows, false);
	}
}

/* Chooses the columns to compare: one for people, all columns of numbers for programs. */
static int diff_columns(struct diff *diff, const struct batch_report *one, bool chosen[COLUMNS_MAX])
{
	const struct options *options = diff->request->options;
	bool for_people = options->format == FORMAT_TABLE || options->format == FORMAT_MARKDOWN;
	const char *name = options->metric ? options->metric
			   : for_people    ? report_infos[one->id].sort
					   : NULL;
	int column = -1;

	if (name && strcmp(name, "all") != 0) {
		column = columns_find(one->job.table.column, one->job.table.column_count, name,
				      strlen(name));
		if (options->metric && (column < 0 || !joined_compares(one, (size_t)column)))
			return diff_fail(
				diff,
				"--metric: the report has no column '%.100s' of numbers to compare",
				name);
	}
	if (column >= 0 && joined_compares(one, (size_t)column)) {
		chosen[column] = true;
		return STATUS_OK;
	}
	for (size_t i = 0; i < one->job.table.column_count; i++)
		chosen[i] = joined_compares(one, i);
	return STATUS_OK;
}

static int diff_report(struct diff *diff)
{
	const struct batch_report *one = sides_after(&diff->sides)->batch.report[diff->place];
	const struct facts *facts = &one->job.facts;
	bool chosen[COLUMNS_MAX] = { false };
	const struct joined *joined;
	int status = diff_columns(diff, one, chosen);

	if (status)
		return status;
	for (size_t i = 0; i < facts->count; i++)
		if (facts->fact[i].cell.kind != CELL_TEXT && facts->fact[i].unit != UNIT_TEXT)
			add_total(diff, diff->report, diff->place, facts->fact[i].name,
				  diff->request->options->format != FORMAT_TABLE);
	diff->is_one_sided[diff->report] = joined_is_one_sided(&diff->sides, diff->place);
	joined = diff_join(diff, diff->place);
	for (size_t i = 0; i < one->job.table.column_count; i++)
		if (chosen[i])
			add_rows(diff, joined, diff->report, i, i + 1, UNLIMITED, true);
	return STATUS_OK;
}

/* --- documents --- */

static void diff_total(const struct diff *diff, struct facts *facts)
{
	uint64_t count[VERDICT_LIMIT] = { 0 };
	const char *other = diff_other_command(&diff->sides);

	if (other) /* only then, so that other documents stay as they were */
		facts_text(facts, "other_command", other, strlen(other));
	for (size_t i = 0; i < diff->changes.count; i++)
		count[diff->changes.change[i].change.verdict]++;
	facts_number(facts, "compared", UNIT_COUNT, diff->changes.count);
	for (int i = VERDICT_SAME; i < VERDICT_LIMIT; i++)
		facts_number(facts, verdict_names[i], UNIT_COUNT, count[i]);
	facts_number(facts, "not_told", UNIT_COUNT, count[VERDICT_NONE]);
}

/* Nothing that is live is a result, too; nothing of what was not recorded is not. */
static bool side_has_stacks(const struct batch_report *one)
{
	const struct stack_report *stacks = one->job.report.state;

	return one->job.table.row_count ||
	       (stacks->value == STACK_LIVE && stacks->has_value &&
		!why_empty_is_off(one->job.report.run, stacks->from->family));
}

bool diff_has_stacks(struct diff *diff, size_t place, bool says_why)
{
	for (size_t i = 0; i < diff->sides.count; i++) {
		const struct side *side = &diff->sides.side[i];
		const struct batch_report *one = side->batch.report[place];
		const char *why = one->job.document.empty;

		if (side_has_stacks(one))
			continue;
		if (says_why)
			snprintf(diff->request->message, sizeof(diff->request->message),
				 "'%.150s' cannot be drawn: %.320s", side->name,
				 why ? why : "it has no stacks of this kind");
		return false;
	}
	return true;
}

static void diff_draw(const struct document *document, const struct screen *screen,
		      enum export_format format)
{
	const struct diff *diff = document->context;
	struct diff_flame flame;

	diff_flame_make(&flame, &diff->sides, diff->place);
	if (format == FORMAT_SVG)
		diff_flame_write_svg(&flame, screen->out);
	else
		diff_flame_write_folded(&flame, screen->out);
	diff_flame_release(&flame);
}

static void reader_take(struct diff_reader *reader, const struct document *document,
			struct screen screen, const struct table *table)
{
	screen.out = reader->head;
	document->head(document, &screen);
	screen.out = reader->foot;
	document->foot(document, &screen);
	reader->rows = table->passed;
	reader->shown = table->shown;
}

int diff_write(struct diff *diff, struct diff_reader *reader)
{
	struct source **before = memory_zero(diff->sides.count, sizeof(struct source *));
	struct facts facts = { .count = 0 };
	struct report_request *request = diff->request;
	struct document document = {
		.head = diff_head,
		.names_first = true,
		.foot = diff_foot,
		.draw = diff_draw,
		.context = diff,
		.before = before,
		.before_count = diff->sides.before,
		.also = before + diff->sides.before,
		.also_count = diff->sides.count - 1 - diff->sides.before,
		.empty = diff->has_report ? "neither run has rows or totals of it"
					  : "nothing that both runs recorded has changed",
	};
	int status = STATUS_OK;

	if (diff->has_report)
		status = diff_report(diff);
	else
		diff_overview(diff);
	for (size_t i = 0; i + 1 < diff->sides.count; i++)
		before[i] = diff->sides.side[i].request.source;
	request->source = sides_after(&diff->sides)->request.source;
	changes_fill(&diff->changes, &diff->table, !diff->has_report);
	diff_total(diff, &facts);
	document.fact = facts.fact;
	document.fact_count = facts.count;
	if (!status)
		status = request_write(request, &document, &diff->table);
	if (reader)
		reader_take(reader, &document, request->screen, &diff->table);
	facts_release(&facts);
	free(before);
	return status;
}

int diff_begin_again(struct diff *diff)
{
	struct report_request again = { .options = diff->request->options,
					.screen = diff->request->screen };

	request_release(diff->request);
	*diff->request = again;
	changes_release(&diff->changes);
	diff->changes = (struct changes){ .count = 0 };
	memset(diff->is_one_sided, 0, sizeof(diff->is_one_sided));
	table_release(&diff->table);
	table_init(&diff->table, "diff", NULL);
	return request_prepare(diff->request, &diff->table);
}

void diff_release(struct diff *diff)
{
	for (size_t i = 0; i < diff->joined_count; i++)
		joined_release(&diff->joined[i]);
	free(diff->joined);
	changes_release(&diff->changes);
	table_release(&diff->table);
	sides_release(&diff->sides);
	free(diff->condition);
	free(diff->file);
}
