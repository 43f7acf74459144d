/* SPDX-License-Identifier: MIT */
/* Report `lines`: Python by samples of its stacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/options/keys.h"
#include "report/base/units.h"
#include "report/core/report_kind.h"
#include "report/samples/line_gpu.h"
#include "report/samples/line_memory.h"
#include "report/samples/lines.h"
#include "report/samples/source_text.h"
#include "report/samples/uncertain.h"

#define NO_MEMORY                                     \
	"no block of the heap has a line of Python: " \
	"record with INTERCEPT_STACKS=python to have them"
#define NO_GPU                                   \
	"no call of CUDA has a line of Python: " \
	"record with INTERCEPT_STACKS=python to have the GPU's time by line"

struct lines_state {
	struct own own;
	/* rows are of the steps, plus one row for the rest; of a server, of its time of serving */
	bool is_of_steps;
	const struct samples *samples;
	struct source_text text;
	const void *heap; /* NULL: memory is not read */
	bool has_memory;  /* Python lines of allocations are known */
	struct line_memory_share share;
	const struct line_gpu_use *gpu; /* likewise for the GPU */
	bool has_gpu;
};

/* What the table is of: all samples, or those while the server served. */
static const struct sample_counts *lines_shown(const struct lines_state *state)
{
	return state->is_of_steps && !state->samples->has_steps ? &state->samples->steps
								: &state->samples->all;
}

static void report_lines_put_name(struct table *table, enum column_id column,
				  const struct source *source, uint32_t name, const char *instead)
{
	size_t length = strlen(instead);
	const char *text = instead;

	if (name != SAMPLE_NONE)
		text = name_text(source_name_at(source, name), &length);
	table_set_text(table, column, text, length);
}

/* Writes "FILE:LINE", with the function's name if that is asked for. */
static void report_lines_put_link(struct table *table, enum column_id column,
				  const struct source *source, const struct line_link *link,
				  bool is_named)
{
	size_t file_length, function_length;
	const char *file, *function, *text;

	if (!link)
		return;
	file = name_text(source_name_at(source, link->file), &file_length);
	function = name_text(source_name_at(source, link->function), &function_length);
	text = text_store_format(&table->texts, "%.*s:%u%s%.*s", (int)file_length, file,
				 link->number, is_named ? " " : "",
				 is_named ? (int)function_length : 0, function);
	table_set_text(table, column, text, strlen(text));
}

static void put_links(struct table *table, const struct source *source, const struct lines *lines,
		      size_t line)
{
	report_lines_put_link(table, COLUMN_lines_caller, source,
			      line_links_most(&lines->links, line, LINE_LINK_CALLER), false);
	report_lines_put_link(table, COLUMN_lines_library, source,
			      line_links_most(&lines->links, line, LINE_LINK_LIBRARY), true);
}

static void put_states(struct table *table, const struct sample_counts *counts)
{
	table_set_number(table, COLUMN_lines_gil_ns, counts->state_ns[EVT_PYTHON_GIL]);
	table_set_number(table, COLUMN_lines_lock_ns, counts->state_ns[EVT_PYTHON_LOCK]);
	table_set_number(table, COLUMN_lines_io_ns, counts->state_ns[EVT_PYTHON_IO]);
	table_set_number(table, COLUMN_lines_sleep_ns, counts->state_ns[EVT_PYTHON_SLEEP]);
	table_set_number(table, COLUMN_lines_child_ns, counts->state_ns[EVT_PYTHON_CHILD]);
	table_set_number(table, COLUMN_lines_ready_ns, counts->ready_ns);
	table_set_number(table, COLUMN_lines_idle_ns, counts->idle_ns);
}

static void report_lines_put_counts(struct table *table, const struct sample_counts *counts,
				    uint64_t all_ns)
{
	table_set_number(table, COLUMN_lines_samples, counts->looks);
	table_set_number(table, COLUMN_lines_cpu_ns, counts->cpu_ns);
	table_set_number(table, COLUMN_lines_python_ns, counts->cpu_ns - counts->native_ns);
	table_set_number(table, COLUMN_lines_native_ns, counts->native_ns);
	table_set_number(table, COLUMN_lines_wait_ns, counts->wait_ns);
	table_set_number(table, COLUMN_lines_cuda_ns, counts->cuda_ns);
	table_set_percent(table, COLUMN_lines_percent, counts->cpu_ns, all_ns);
	put_states(table, counts);
}

static void report_lines_put_total(struct table *table, const struct sample_counts *counts,
				   uint64_t all_ns)
{
	table_set_number(table, COLUMN_lines_total_samples, counts->looks);
	table_set_number(table, COLUMN_lines_total_cpu_ns, counts->cpu_ns);
	table_set_number(table, COLUMN_lines_total_wait_ns, counts->wait_ns);
	table_set_number(table, COLUMN_lines_total_cuda_ns, counts->cuda_ns);
	table_set_percent(table, COLUMN_lines_total_percent, counts->cpu_ns, all_ns);
}

static void report_lines_put_memory(struct table *table, const struct line *line)
{
	table_set_number(table, COLUMN_lines_allocations, line->memory.allocations);
	table_set_number(table, COLUMN_lines_bytes_allocated, line->memory.bytes_allocated);
	table_set_number(table, COLUMN_lines_live_bytes, line->memory.live_bytes);
	table_set_number(table, COLUMN_lines_peak_bytes, line->memory.peak_bytes);
	table_set_number(table, COLUMN_lines_total_bytes_allocated,
			 line->total_memory.bytes_allocated);
	table_set_number(table, COLUMN_lines_total_live_bytes, line->total_memory.live_bytes);
}

static void report_lines_put_gpu(struct table *table, const struct line *line)
{
	table_set_number(table, COLUMN_lines_gpu_ns, line->gpu.gpu_ns);
	table_set_number(table, COLUMN_lines_total_gpu_ns, line->total_gpu.gpu_ns);
	table_set_number(table, COLUMN_lines_copies, line->gpu.copies);
	table_set_number(table, COLUMN_lines_copied_bytes, line->gpu.copied_bytes);
	table_set_number(table, COLUMN_lines_total_copied_bytes, line->total_gpu.copied_bytes);
}

static void report_lines_put_line(struct table *table, const struct source *source,
				  const struct line *line, uint64_t all_ns)
{
	table_add_row(table);
	report_lines_put_name(table, COLUMN_lines_file, source, line->file, "");
	report_lines_put_name(table, COLUMN_lines_function, source, line->function,
			      line->is_torn      ? SAMPLE_TORN
			      : line->is_outside ? SAMPLE_NOT_IN_STEPS
			      : line->is_import  ? SAMPLE_IMPORTS
						 : SAMPLE_NOT_PYTHON);
	if (line->number)
		table_set_number(table, COLUMN_lines_line, line->number);
	report_lines_put_counts(table, &line->self, all_ns);
	report_lines_put_total(table, &line->total, all_ns);
}

/* --- lines --- */

/* One row for each line of the file, also for lines without a function or a sample. */
static void fill_source_rows(struct lines_state *state, const struct report *report,
			     const struct lines *lines, struct table *table)
{
	const struct source *source = run_source(report->run);

	for (size_t number = 1; number <= state->text.count; number++) {
		struct line all = { .file = SAMPLE_NONE, .function = SAMPLE_NONE };

		for (size_t i = 0; i < lines->count; i++) {
			const struct line *line = &lines->line[i];

			if (line->number != number ||
			    !source_text_is_of(&state->text, source, line->file))
				continue;
			all.file = line->file;
			sample_counts_add(&all.self, &line->self);
			sample_counts_add(&all.total, &line->total);
			line_memory_join(&all.memory, &line->memory);
			line_memory_join(&all.total_memory, &line->total_memory);
			line_gpu_join(&all.gpu, &line->gpu);
			line_gpu_join(&all.total_gpu, &line->total_gpu);
		}
		table_add_row(table);
		table_set_number(table, COLUMN_lines_line, number);
		table_set_text(table, COLUMN_lines_text, state->text.line[number - 1].text,
			       state->text.line[number - 1].length);
		if (all.file == SAMPLE_NONE)
			continue;
		if (all.total.looks) {
			report_lines_put_counts(table, &all.self, state->samples->all.cpu_ns);
			report_lines_put_total(table, &all.total, state->samples->all.cpu_ns);
		}
		if (all.total_memory.allocations)
			report_lines_put_memory(table, &all);
		if (all.total_gpu.gpu_ns || all.total_gpu.copies)
			report_lines_put_gpu(table, &all);
	}
}

/*
 * With a source file, its text and its lines' totals come first; on a narrow screen other figures
 * give way to them.
 */
static void table_put_source_first(struct table *table)
{
	static const struct {
		const char *name;
		unsigned int priority;
	} first[] = {
		{ "text", 0 },          { "total_cpu_ns", 0 },     { "total_percent", 1 },
		{ "total_wait_ns", 1 }, { "total_live_bytes", 1 }, { "percent", 3 },
		{ "wait_ns", 3 },       { "live_bytes", 3 },       { "total_gpu_ns", 1 },
	};
	static struct column column[sizeof(first) / sizeof(first[0])];

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		int at = columns_find(table->column, table->column_count, first[i].name,
				      strlen(first[i].name));

		if (at < 0)
			continue;
		column[i] = *table->column[at];
		column[i].priority = first[i].priority;
		table->column[at] = &column[i];
	}
}

static void fill_source(struct lines_state *state, const struct report *report,
			const struct lines *lines, struct table *table)
{
	fill_source_rows(state, report, lines, table);
	table_put_source_first(table);
	if (!report->request->options->sort)
		report->request->arrangement.sort = -1;
	if (report->request->options->limit == LIMIT_DEFAULT)
		report->request->arrangement.limit = 0;
}

/* The outermost function of what event loops ran, coroutine or callback, and its file. */
static void fill_tasks(const struct report *report, const struct samples *samples,
		       struct table *table)
{
	const struct source *source = run_source(report->run);

	for (size_t i = 0; i < samples->row_count; i++) {
		uint64_t task = samples->row[i].key;
		bool is_named = task != PLACE_TASK_NONE && task != PLACE_TASK_LOOP;

		table_add_row(table);
		report_lines_put_name(table, COLUMN_lines_task, source,
				      is_named ? (uint32_t)task - 1 : SAMPLE_NONE,
				      task == PLACE_TASK_LOOP ? "(the event loop)"
							      : "(no event loop)");
		if (is_named)
			report_lines_put_name(table, COLUMN_lines_file, source,
					      (uint32_t)(task >> 32) - 1, "");
		report_lines_put_counts(table, &samples->row[i].counts, samples->all.cpu_ns);
	}
}

static void report_lines_lines_fill(struct report *report, struct table *table)
{
	struct lines_state *state = report->state;
	const struct samples *samples = state->samples;
	const char *path = report->request->options->of_report[REPORT_OPTION_source].text;
	enum lines_by by = path                                                ? LINES_BY_NUMBER
			   : report->request->options->by == BY_lines_function ? LINES_BY_FUNCTION
									       : LINES_BY_LINE;
	struct lines lines;

	if (samples->is_by_task) {
		fill_tasks(report, samples, table);
		return;
	}
	if (samples->key.kind) {
		for (size_t i = 0; i < samples->row_count; i++) {
			table_add_row(table);
			key_put(&samples->key, samples->row[i].key, table);
			report_lines_put_counts(table, &samples->row[i].counts,
						samples->all.cpu_ns);
		}
		return;
	}
	own_init(&state->own, run_source(report->run), report->request->options);
	if (path)
		lines_make(&lines, samples, by);
	else
		lines_make_own(&lines, samples, by, &state->own, !run_filters(report->run)->any);
	state->is_of_steps = lines.own && samples_have_steps(samples) &&
			     !run_filters(report->run)->any;
	state->has_memory = state->heap && line_memory_add(state->heap, run_source(report->run),
							   &lines, &state->share);
	state->has_gpu = state->gpu && line_gpu_add(state->gpu, run_source(report->run), &lines);
	if (path && source_text_read(&state->text, path))
		fill_source(state, report, &lines, table);
	for (size_t i = 0; !path && i < lines.count; i++) {
		report_lines_put_line(table, run_source(report->run), &lines.line[i],
				      lines_shown(state)->cpu_ns);
		put_links(table, run_source(report->run), &lines, i);
		if (state->has_memory)
			report_lines_put_memory(table, &lines.line[i]);
		if (state->has_gpu)
			report_lines_put_gpu(table, &lines.line[i]);
	}
	lines_release(&lines);
}

static void lines_prepare(struct report *report)
{
	const struct options *options = report->request->options;
	struct lines_state *state = report->state;

	state->samples = samples_want(report->run, &(struct samples_options){ .by = options->by });
	if (state->samples->is_by_place && line_memory_is_wanted(options))
		state->heap = line_memory_want(report->run);
	if (state->samples->is_by_place && line_gpu_is_wanted(options))
		state->gpu = line_gpu_want(report->run, NULL);
}

static void samples_total(const struct report *report, struct facts *facts)
{
	const struct lines_state *state = report->state;
	const struct samples *samples = state->samples;
	const struct sample_counts *shown = lines_shown(state);

	facts_number(facts, "samples", UNIT_COUNT, shown->looks);
	facts_number(facts, "cpu_ns", UNIT_NS, shown->cpu_ns);
	facts_number(facts, "cpu_samples", UNIT_COUNT, shown->cpu_looks);
	facts_number(facts, "cpu_doubt_ns", UNIT_NS,
		     (uint64_t)(sample_counts_doubt_percent(shown) / 100 * (double)shown->cpu_ns));
	facts_number(facts, "native_ns", UNIT_NS, shown->native_ns);
	facts_number(facts, "wait_ns", UNIT_NS, shown->wait_ns);
	facts_number(facts, "idle_ns", UNIT_NS, shown->idle_ns);
	facts_number(facts, "cuda_ns", UNIT_NS, shown->cuda_ns);
	facts_number(facts, "steps_cpu_ns", UNIT_NS,
		     samples->has_steps ? samples->steps.cpu_ns : 0);
	facts_number(facts, "steps_wait_ns", UNIT_NS,
		     samples->has_steps ? samples->steps.wait_ns : 0);
	if (shown != &samples->all)
		facts_number(facts, "not_serving_cpu_ns", UNIT_NS,
			     samples->all.cpu_ns - shown->cpu_ns);
	facts_number(facts, "samples_torn", UNIT_COUNT, samples->torn);
	facts_number(facts, "samples_cut", UNIT_COUNT, samples->cut);
	facts_number(facts, "samples_dropped", UNIT_COUNT, samples->dropped);
	facts_number(facts, "samples_partial", UNIT_COUNT, samples->partial);
}

static const char *samples_explain(const struct report *report, struct why_empty *absence)
{
	const struct lines_state *state = report->state;
	const char *path = report->request->options->of_report[REPORT_OPTION_source].text;

	(void)absence;
	if (path && !state->text.count && state->samples->all.looks)
		return "the file given with --source cannot be read or is empty; give the name of "
		       "a text file";
	if (state->heap)
		return NO_MEMORY;
	if (state->gpu)
		return NO_GPU;
	return state->samples->is_said ? NULL : samples_why_none(state->samples);
}

/* Workers have no steps: the steps of the process that they work for count. */
static void report_lines_print_steps(const struct lines_state *state, const struct screen *screen)
{
	const struct samples *samples = state->samples;
	char outside[UNIT_TEXT_BYTES];

	if (state->is_of_steps && !samples->has_steps)
		screen_print_prose(
			screen,
			"Lines are those of the time between the first request and the last. %s of "
			"CPU time passed before and after, as for imports. --frames all shows the "
			"lines of the whole run.",
			unit_format_ns(outside, samples->all.cpu_ns - samples->steps.cpu_ns));
	else if (state->is_of_steps)
		screen_print_prose(
			screen,
			"Lines are those of the steps, in workers too. %s of CPU time "
			"passed before and after. --frames all shows the lines of the "
			"whole run.",
			unit_format_ns(outside, samples->all.cpu_ns - samples->steps.cpu_ns));
}

/* By default only large blocks have a stack, so the share with a line is printed. */
static void report_lines_print_share(const struct line_memory_share *share,
				     const struct screen *screen)
{
	if (share->known_bytes == share->bytes)
		return;
	screen_print_prose(screen,
			   "%.1f %% of the allocated bytes have a line. The others count as "
			   "%s: no line of Python was recorded for them. INTERCEPT_STACKS=python "
			   "records it for all blocks.",
			   100 * (double)share->known_bytes / (double)share->bytes,
			   SAMPLE_NOT_PYTHON);
}

static void lines_print_stopped(const struct sample_counts *counts, const struct screen *screen)
{
	char time[UNIT_TEXT_BYTES];

	if (counts->state_ns[EVT_PYTHON_STOPPED])
		screen_print_prose(screen,
				   "Signals or a debugger had stopped threads for %s in all: no "
				   "line has that time.",
				   unit_format_ns(time, counts->state_ns[EVT_PYTHON_STOPPED]));
}

static void samples_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct lines_state *state = report->state;
	const struct samples *samples = state->samples;
	char number[UNIT_TEXT_BYTES];

	report_lines_print_steps(state, screen);
	sample_counts_print_uncertain(lines_shown(state), screen);
	lines_print_stopped(lines_shown(state), screen);
	if (samples->torn)
		screen_print_prose(screen,
				   "%s stack%s changed while being read: the lines are not "
				   "known.",
				   unit_format_count(number, samples->torn),
				   unit_plural(samples->torn));
	if (samples->cut)
		screen_print_prose(screen,
				   "%s stack%s had more than 512 functions: the outermost ones "
				   "are missing in totals.",
				   unit_format_count(number, samples->cut),
				   unit_plural(samples->cut));
	if (state->heap && !state->has_memory)
		screen_print_prose(screen, NO_MEMORY);
	if (state->has_memory)
		report_lines_print_share(&state->share, screen);
	if (state->gpu && !state->has_gpu && line_gpu_has_work(state->gpu))
		screen_print_prose(screen, NO_GPU);
	if (samples->dropped)
		screen_print_prose(screen, "%s sample%s found no room in the collector's memory.",
				   unit_format_count(number, samples->dropped),
				   unit_plural(samples->dropped));
	if (samples->partial)
		screen_print_prose(screen,
				   "%s looks left threads out: at most 4,096 threads and 16 "
				   "interpreters of a process are followed.",
				   unit_format_count(number, samples->partial));
	for (unsigned int i = 0; i < EVT_PYTHON_OFF_LIMIT; i++)
		if (samples->unsampled[i] && samples->all.looks && !samples->is_said)
			screen_print_prose(screen, "Of %s process%s %s.",
					   unit_format_count(number, samples->unsampled[i]),
					   samples->unsampled[i] == 1 ? "" : "es",
					   samples_off_text(i));
}

static void lines_release_state(struct report *report)
{
	struct lines_state *state = report->state;

	source_text_release(&state->text);
	own_release(&state->own);
}

const struct report_kind report_kind_lines = {
	.state_bytes = sizeof(struct lines_state),
	.family = EVT_FAMILY_samples,
	.want = lines_prepare,
	.fill = report_lines_lines_fill,
	.total = samples_total,
	.explain = samples_explain,
	.foot = samples_foot,
	.release = lines_release_state,
};
