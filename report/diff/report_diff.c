/* SPDX-License-Identifier: MIT */
/* Report `diff`: two runs side by side, or one against several. */
#include "report/core/report_kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/base/talk.h"
#include "report/base/text.h"
#include "report/diff/changes.h"
#include "report/diff/condition.h"

#define TOTALS_GROUP 0
#define UNLIMITED SIZE_MAX

struct shown {
	enum report_id report;
	const char *key, *column;
	size_t rows; /* 0: a total */
	size_t place;
};

static const struct shown overview[] = {
#define DIFF_FACT(report, key, fact) { REPORT_##report, #key, #fact, 0, 0 },
#include "report/diff/diff.def"
#define DIFF_ROWS(report, key, column, rows) { REPORT_##report, #key, #column, rows, 0 },
#include "report/diff/diff.def"
};

#define OVERVIEW (sizeof(overview) / sizeof(overview[0]))

struct diff {
	struct report_request *request;
	struct sides sides;
	char **file; /* of the command line, without the report's name */
	size_t file_count;
	size_t against;
	enum report_id report;
	bool has_report;
	enum key_id by;
	size_t place; /* of that report */
	struct shown shown[OVERVIEW];
	struct condition *condition;
	struct joined *joined; /* kept for their texts */
	size_t joined_count, joined_room;
	struct changes changes;
	bool is_one_sided[REPORT_LIMIT];
	struct table table;
};

/* --- the command line --- */

static int diff_fail(struct diff *diff, const char *format, const char *word)
{
	snprintf(diff->request->message, sizeof(diff->request->message), format, word);
	return STATUS_USAGE;
}

/* A word that names a report, and no file, is what to compare. */
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

static int diff_choose_key(struct diff *diff)
{
	const char *name = diff->request->options->by_name;

	if (name && !diff->has_report)
		return diff_fail(
			diff, "diff: --by '%.100s' is of a report: name it behind the files", name);
	if (!diff->has_report)
		return STATUS_OK;
	diff->by = name ? batch_key(diff->report, name) : joined_key(diff->report);
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

/* What of --columns, --sort and --filter cannot be is said before anything is read. */
static int diff_prepare(struct diff *diff)
{
	int status = diff_take_words(diff);

	if (!status)
		status = diff_choose_key(diff);
	if (!status)
		status = diff_parse_conditions(diff);
	table_init(&diff->table, "diff", NULL);
	if (!status)
		status = request_prepare(diff->request, &diff->table);
	return status;
}

static void diff_want(struct diff *diff)
{
	if (diff->has_report)
		diff->place = sides_add(&diff->sides, diff->report, diff->by);
	memcpy(diff->shown, overview, sizeof(overview));
	for (size_t i = 0; i < OVERVIEW && !diff->has_report; i++)
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
}

/* --- what changed --- */

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
	for (size_t i = 0; i < OVERVIEW; i++) {
		const struct shown *shown = &diff->shown[i];
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

/* The columns to compare: one for people, all that are numbers for programs. */
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

/* --- what people read around it --- */

static void print_side(const struct screen *screen, const char *role, const struct side *side)
{
	struct source *source = side->request.source;
	struct source_process *const *process;
	char text[UNIT_TEXT_BYTES];
	struct prose line;

	prose_begin(&line, screen);
	fprintf(line.screen.out, "%s: ", role);
	text_print(line.screen.out, side->name);
	fprintf(line.screen.out, ", %s", unit_format_ns(text, source_end_ns(source)));
	if (source_processes(source, &process) && process[0]->command &&
	    process[0]->command->text) {
		fputs(", ", line.screen.out);
		text_print(line.screen.out, process[0]->command->text);
	}
	prose_end(&line, screen);
}

static const struct source_name *meta_of(const struct source *source,
					 const struct source_meta *like)
{
	const struct source_meta *meta;
	size_t count = source_metas(source, &meta);

	for (size_t i = 0; i < count; i++)
		if (!meta[i].process == !like->process &&
		    meta[i].key->length == like->key->length && meta[i].key->text &&
		    !memcmp(meta[i].key->text, like->key->text, like->key->length))
			return meta[i].value;
	return NULL;
}

/* Facts of the environment that tell the runs apart: versions, threads, settings. */
static void print_environment(const struct screen *screen, const struct source *before,
			      const struct source *after)
{
	static const char *const facts[] = { "python_version",  "torch_version",
					     "torch_cuda",      "torch_threads",
					     "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES",
					     "WORLD_SIZE",      "trace",
					     "stacks",          "sample" };
	const struct source_meta *meta;
	size_t count = source_metas(after, &meta);

	for (size_t i = 0; i < count; i++) {
		const struct source_name *was, *is = meta[i].value;
		size_t known = 0;
		struct prose line;

		if (!meta[i].key->text || meta_of(after, &meta[i]) != is)
			continue;
		while (known < sizeof(facts) / sizeof(facts[0]) &&
		       strcmp(facts[known], meta[i].key->text) != 0)
			known++;
		was = meta_of(before, &meta[i]);
		if (known == sizeof(facts) / sizeof(facts[0]) || !was || !was->text || !is ||
		    !is->text || !strcmp(was->text, is->text))
			continue;
		prose_begin(&line, screen);
		fprintf(line.screen.out, "%s: ", facts[known]);
		text_print(line.screen.out, was->text);
		fputs(" before, ", line.screen.out);
		text_print(line.screen.out, is->text);
		fputs(" after", line.screen.out);
		prose_end(&line, screen);
	}
}

static void diff_head(const struct document *document, const struct screen *screen)
{
	const struct diff *diff = document->context;
	const struct sides *sides = &diff->sides;

	for (size_t i = 0; i + 1 < sides->count; i++)
		print_side(screen, "before", &sides->side[i]);
	print_side(screen, "after", sides_after(sides));
	print_environment(screen, sides->side[0].request.source,
			  sides_after(sides)->request.source);
	if (diff->has_report && diff->changes.count)
		screen_print_prose(screen, "report %s%s%s", report_infos[diff->report].name,
				   diff->by == KEY_ID_LIMIT ? "" : " by ",
				   diff->by == KEY_ID_LIMIT ? "" : key_list[diff->by].name);
	putc('\n', screen->out);
}

static void diff_foot(const struct document *document, const struct screen *screen)
{
	const struct diff *diff = document->context;
	bool is_untold = false, is_counted = false;

	for (int i = 0; i < REPORT_LIMIT; i++)
		if (diff->is_one_sided[i])
			screen_print_prose(screen, "%s: not all of the runs have rows of it%s",
					   report_infos[i].name,
					   diff->has_report ? ""
							    : ", so that it is not compared here");
	for (size_t i = 0; i < diff->changes.count; i++) {
		const struct one_change *one = &diff->changes.change[i];

		is_untold |= one->change.verdict == VERDICT_NONE;
		is_counted |= isnan(one->change.noise) && (one->change.verdict == VERDICT_MORE ||
							   one->change.verdict == VERDICT_LESS);
	}
	if (is_untold)
		screen_print_prose(
			screen,
			"No verdict: the runs do not say how much this varies; more runs do "
			"(--against).");
	else if (is_counted)
		screen_print_prose(screen, "more, less: exact for these runs; whether they vary "
					   "from run to run more runs "
					   "tell (--against).");
}

static void diff_total(const struct diff *diff, struct facts *facts)
{
	uint64_t count[VERDICT_LIMIT] = { 0 };

	for (size_t i = 0; i < diff->changes.count; i++)
		count[diff->changes.change[i].change.verdict]++;
	facts_number(facts, "compared", UNIT_COUNT, diff->changes.count);
	for (int i = VERDICT_SAME; i < VERDICT_LIMIT; i++)
		facts_number(facts, verdict_names[i], UNIT_COUNT, count[i]);
	facts_number(facts, "not_told", UNIT_COUNT, count[VERDICT_NONE]);
}

static int diff_write(struct diff *diff)
{
	struct source **before = memory_zero(diff->sides.count, sizeof(struct source *));
	struct facts facts = { .count = 0 };
	struct report_request *request = diff->request;
	struct document document = {
		.head = diff_head,
		.foot = diff_foot,
		.context = diff,
		.before = before,
		.before_count = diff->sides.count - 1,
		.empty = diff->has_report ? "neither run has rows or totals of it"
					  : "nothing that both runs recorded has changed",
	};
	int status;

	for (size_t i = 0; i + 1 < diff->sides.count; i++)
		before[i] = diff->sides.side[i].request.source;
	request->source = sides_after(&diff->sides)->request.source;
	changes_fill(&diff->changes, &diff->table, !diff->has_report);
	diff_total(diff, &facts);
	document.fact = facts.fact;
	document.fact_count = facts.count;
	status = request_write(request, &document, &diff->table);
	facts_release(&facts);
	free(before);
	return status;
}

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
	int status = STATUS_OK, faults, judged;

	if (diff->has_report)
		status = diff_report(diff);
	else
		diff_overview(diff);
	if (!status)
		status = diff_write(diff);
	if (status)
		return status;
	faults = sides_say_faults(&diff->sides);
	judged = diff_judge(diff);
	return judged ? judged : faults;
}

static void diff_release(struct diff *diff)
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

static int diff_files(struct report_request *request)
{
	struct diff *diff = memory_zero(1, sizeof(*diff));
	int status;

	diff->request = request;
	diff->by = KEY_ID_LIMIT;
	status = diff_prepare(diff);
	if (!status)
		status = sides_open(&diff->sides, request, diff->file, diff->file_count,
				    diff->against);
	if (!status) {
		diff_want(diff);
		status = sides_read(&diff->sides);
	}
	if (!status)
		status = diff_show(diff);
	diff_release(diff);
	free(diff);
	return status;
}

const struct report_kind report_kind_diff = { .read_files = diff_files };
