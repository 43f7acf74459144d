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
#include "report/diff/compare.h"
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

/* The first of that key, of the session or of a process; NULL: there is none. */
static const struct source_meta *meta_like(const struct source *source,
					   const struct source_meta *like)
{
	const struct source_meta *meta;
	size_t count = source_metas(source, &meta);

	for (size_t i = 0; i < count; i++)
		if (!meta[i].process == !like->process &&
		    meta[i].key->length == like->key->length && meta[i].key->text &&
		    !memcmp(meta[i].key->text, like->key->text, like->key->length))
			return &meta[i];
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
		const struct source_meta *other;
		size_t known = 0;
		struct prose line;

		if (!meta[i].key->text || meta_like(after, &meta[i]) != &meta[i])
			continue;
		while (known < sizeof(facts) / sizeof(facts[0]) &&
		       strcmp(facts[known], meta[i].key->text) != 0)
			known++;
		other = meta_like(before, &meta[i]);
		was = other ? other->value : NULL;
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

/* Who shows the document: its head and foot, where --format has neither. NULL: nobody. */
struct diff_reader {
	FILE *head, *foot;
	size_t rows, shown;
};

static void diff_read(struct diff_reader *reader, const struct document *document,
		      struct screen screen, const struct table *table)
{
	screen.out = reader->head;
	document->head(document, &screen);
	screen.out = reader->foot;
	document->foot(document, &screen);
	reader->rows = table->passed;
	reader->shown = table->shown;
}

static int diff_write(struct diff *diff, struct diff_reader *reader)
{
	struct source **before = memory_zero(diff->sides.count, sizeof(struct source *));
	struct facts facts = { .count = 0 };
	struct report_request *request = diff->request;
	struct document document = {
		.head = diff_head,
		.names_first = true,
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
	if (reader)
		diff_read(reader, &document, request->screen, &diff->table);
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
		status = diff_write(diff, NULL);
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

/* --- all of it, for the page --- */

/* The table of another report, as nothing had been compared yet. */
static int diff_begin_again(struct diff *diff)
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

static FILE *text_open(char **text, size_t *length)
{
	FILE *out = open_memstream(text, length);

	if (!out)
		memory_grow(NULL, SIZE_MAX, 1); /* ends the program with the usual line */
	return out;
}

/* What diff->has_report says: of one report, or of all. */
static int diff_put(struct diff *diff, take_compared *take, void *context)
{
	struct screen *screen = &diff->request->screen;
	const struct report_info *info = diff->has_report ? &report_infos[diff->report] : NULL;
	struct compared one = { .report = info ? info->name : NULL,
				.by = info && diff->by != KEY_ID_LIMIT ? key_list[diff->by].name
								       : NULL,
				.metric = info ? info->sort : NULL };
	char *text[3] = { NULL };
	size_t length[3];
	FILE *out[3];
	struct diff_reader reader;
	int status = STATUS_OK;

	for (unsigned int i = 0; i < 3; i++)
		out[i] = text_open(&text[i], &length[i]);
	reader = (struct diff_reader){ .head = out[1], .foot = out[2] };
	screen->out = out[0];
	if (diff->has_report)
		status = diff_report(diff);
	else
		diff_overview(diff);
	if (!status)
		status = diff_write(diff, &reader);
	for (unsigned int i = 0; i < 3; i++)
		fclose(out[i]);
	one.json = text[0];
	one.length = length[0];
	one.head = text[1];
	one.foot = text[2];
	one.rows = reader.rows;
	one.shown = reader.shown;
	if (!status)
		take(context, &one);
	for (unsigned int i = 0; i < 3; i++)
		free(text[i]);
	return status;
}

/* Each report of the overview, by the key that it has there, after the overview itself. */
static int diff_put_all(struct diff *diff, take_compared *take, void *context)
{
	int status = diff_put(diff, take, context);

	diff->has_report = true;
	for (size_t i = 0; i < OVERVIEW && !status; i++) {
		size_t before = 0;

		while (before < i && diff->shown[before].place != diff->shown[i].place)
			before++;
		if (before < i)
			continue;
		diff->report = diff->shown[i].report;
		diff->place = diff->shown[i].place;
		diff->by = sides_after(&diff->sides)->batch.report[diff->place]->by;
		status = diff_begin_again(diff);
		if (!status)
			status = diff_put(diff, take, context);
	}
	return status;
}

static int diff_documents(struct diff *diff, take_compared *take, void *context)
{
	const struct options *options = diff->request->options;
	int status = diff_prepare(diff);

	if (!status)
		status = sides_open(&diff->sides, diff->request, diff->file, diff->file_count,
				    options->against);
	if (!status) {
		diff_want(diff);
		status = sides_read(&diff->sides);
	}
	if (!status)
		status = diff_put_all(diff, take, context);
	if (!status)
		sides_say_faults(&diff->sides);
	return status;
}

int compare_put(struct report_request *request, char *const *base, size_t base_count, size_t most,
		take_compared *take, void *context)
{
	struct options options = *request->options;
	struct report_request own = { .options = &options, .screen = request->screen };
	struct diff *diff = memory_zero(1, sizeof(*diff));
	int status;

	options.report = REPORT_diff;
	options.format = FORMAT_JSON;
	options.limit = most;
	options.output = NULL;
	options.by_name = NULL;
	options.against = options.file_count;
	options.file = memory_zero(options.file_count + base_count + 1, sizeof(*options.file));
	memcpy(options.file, request->options->file, options.against * sizeof(*options.file));
	memcpy(options.file + options.against, base, base_count * sizeof(*options.file));
	options.file_count = options.against + base_count;
	diff->request = &own;
	diff->by = KEY_ID_LIMIT;
	status = diff_documents(diff, take, context);
	if (status)
		snprintf(request->message, sizeof(request->message), "%s", own.message);
	diff_release(diff);
	request_release(&own);
	free(options.file);
	free(diff);
	return status;
}

const struct report_kind report_kind_diff = { .read_files = diff_files };
