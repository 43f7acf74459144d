/* SPDX-License-Identifier: MIT */
/* Report `gil`: which threads and lines of Python hold the GIL, and which wait for it. */
#include <string.h>

#include "report/options/keys.h"
#include "report/core/report_kind.h"
#include "report/samples/gil_events.h"
#include "report/samples/lines.h"
#include "report/table/cells.h"

struct gil_state {
	const struct gil *gil;
	bool by_thread;
};

static void gil_prepare(struct report *report)
{
	struct gil_state *state = report->state;

	state->gil = gil_want(report->run, NULL);
	state->by_thread = report->request->options->by == BY_gil_thread;
}

static void report_gil_put_counts(const struct gil *gil, struct table *table,
				  const struct gil_counts *counts)
{
	table_set_number(table, COLUMN_gil_held_ns, counts->held_ns);
	table_set_percent(table, COLUMN_gil_held_percent, counts->held_ns, gil->all.held_ns);
	table_set_number(table, COLUMN_gil_wait_ns, counts->wait_ns);
	table_set_percent(table, COLUMN_gil_wait_percent, counts->wait_ns, gil->all.wait_ns);
	table_set_number(table, COLUMN_gil_blocked_ns, counts->blocked_ns);
	table_set_number(table, COLUMN_gil_samples, counts->looks);
}

static void fill_threads(const struct gil *gil, struct table *table)
{
	for (size_t i = 0; i < gil->row_count; i++) {
		const struct source_thread *thread = gil->row[i].thread;
		const char *name;
		size_t length;

		if (!thread)
			continue;
		thread_name(thread, &name, &length);
		table_add_row(table);
		table_set_number(table, COLUMN_gil_thread, thread->tid);
		table_set_number(table, COLUMN_gil_pid, thread->process->pid);
		table_set_text(table, COLUMN_gil_name, name, length);
		report_gil_put_counts(gil, table, &gil->row[i].counts);
	}
}

static void report_gil_put_name(struct table *table, enum column_id column,
				const struct source *source, uint32_t name)
{
	if (name != SAMPLE_NONE)
		table_put_name(table, column, source, name);
}

static void report_gil_fill_lines(const struct report *report, struct table *table)
{
	const struct gil *gil = ((const struct gil_state *)report->state)->gil;
	const struct source *source = run_source(report->run);
	struct lines lines;
	struct own own;

	own_init(&own, source, report->request->options);
	lines_make_gil(&lines, gil,
		       report->request->options->by == BY_gil_function ? LINES_BY_FUNCTION
								       : LINES_BY_LINE,
		       &own);
	own_release(&own);
	for (size_t i = 0; i < lines.count; i++) {
		const struct line *line = &lines.line[i];

		table_add_row(table);
		report_gil_put_name(table, COLUMN_gil_file, source, line->file);
		report_gil_put_name(table, COLUMN_gil_function, source, line->function);
		if (line->function == SAMPLE_NONE)
			table_set_text(table, COLUMN_gil_function,
				       line->is_torn ? SAMPLE_TORN : SAMPLE_NOT_PYTHON,
				       strlen(line->is_torn ? SAMPLE_TORN : SAMPLE_NOT_PYTHON));
		if (line->number)
			table_set_number(table, COLUMN_gil_line, line->number);
		report_gil_put_counts(gil, table, &line->gil);
	}
	lines_release(&lines);
}

static void gil_fill(struct report *report, struct table *table)
{
	const struct gil_state *state = report->state;

	/*
	 * most rows have blocked nobody: among these, the one that held the GIL longest comes first
	 */
	if (!report->request->options->sort)
		report->request->arrangement.then = (size_t)columns_find(table->column,
									 table->column_count,
									 "held_ns", 7) +
						    1;
	if (state->by_thread)
		fill_threads(state->gil, table);
	else
		report_gil_fill_lines(report, table);
}

static void gil_total(const struct report *report, struct facts *facts)
{
	const struct gil *gil = ((const struct gil_state *)report->state)->gil;

	facts_number(facts, "samples", UNIT_COUNT, gil->all.looks);
	facts_number(facts, "held_ns", UNIT_NS, gil->all.held_ns);
	facts_number(facts, "wait_ns", UNIT_NS, gil->all.wait_ns);
	facts_number(facts, "blocked_ns", UNIT_NS, gil->all.blocked_ns);
	facts_number(facts, "unknown_ns", UNIT_NS, gil->unknown_ns);
}

static const char *gil_explain(const struct report *report, struct why_empty *absence)
{
	const struct gil *gil = ((const struct gil_state *)report->state)->gil;

	(void)absence;
	if (gil->samples->all.looks)
		return "no sample saw a thread with the GIL, or one that waits for it";
	return gil->samples->is_said ? NULL : samples_why_none(gil->samples);
}

static void gil_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct gil *gil = ((const struct gil_state *)report->state)->gil;
	char time[UNIT_TEXT_BYTES];

	if (!gil->all.wait_ns)
		screen_print_prose(screen, "No thread was seen waiting for the GIL.");
	else if (!gil->all.held_ns && !gil->all.blocked_ns)
		screen_print_prose(screen, "This recording does not say who had the GIL.");
	else if (gil->unknown_ns)
		screen_print_prose(
			screen,
			"For %s of the waits it is not known who had the GIL: it was being "
			"handed on.",
			unit_format_ns(time, gil->unknown_ns));
}

const struct report_kind report_kind_gil = {
	.state_bytes = sizeof(struct gil_state),
	.family = EVT_FAMILY_samples,
	.want = gil_prepare,
	.fill = gil_fill,
	.total = gil_total,
	.explain = gil_explain,
	.foot = gil_foot,
};
