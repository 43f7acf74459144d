/* SPDX-License-Identifier: MIT */
/*
 * Report `gpu-idle`: what each stream of a GPU waited for, and what the launching thread did
 * meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/core/report_kind.h"
#include "report/gpu/unreported.h"
#include "report/idle/idle.h"
#include "report/samples/lines.h"
#include "report/samples/own_places.h"
#include "report/samples/stretches.h"
#include "report/table/cells.h"

#define UNKNOWN "unknown"
#define DATALOADER "enumerate(DataLoader)"

struct idle_report {
	struct gpu_time *time;
	struct unreported *unreported;
	struct idle *idle;
	struct samples *samples; /* NULL: rows are not by line */
};

static const char *const gap_texts[GPU_GAPS] = { "host wait", "kernel wait", "other" };

static void report_idle_want(struct report *report)
{
	struct idle_report *state = report->state;
	enum key_id by = report->request->options->by;

	state->time = gpu_time_want(report->run, NULL);
	state->unreported = unreported_want(report->run, NULL);
	state->idle = idle_want(report->run, &(struct idle_options){ .by = by });
	if (by == BY_gpu_idle_line || by == BY_gpu_idle_function)
		state->samples = samples_want(report->run,
					      &(struct samples_options){ .by = BY_lines_line });
}

static void put_sum(struct table *table, enum gpu_gap kind, const struct idle_sum *sum)
{
	table_put_text(table, COLUMN_gpu_idle_kind, gap_texts[kind]);
	table_set_number(table, COLUMN_gpu_idle_count, sum->count);
	table_set_number(table, COLUMN_gpu_idle_total_ns, sum->total_ns);
	table_set_number(table, COLUMN_gpu_idle_avg_ns, sum->total_ns / sum->count);
	table_set_number(table, COLUMN_gpu_idle_max_ns, sum->max_ns);
}

/* --- by kind: streams --- */

static struct idle_sum stream_sum(const struct gpu_stream_time *stream, int kind)
{
	return (struct idle_sum){ stream->gap_count[kind], stream->gap_ns[kind],
				  stream->gap_max_ns[kind] };
}

static void put_stream(struct report *report, const struct gpu_stream_time *stream,
		       struct table *table)
{
	const struct idle_report *state = report->state;
	const struct gpu_lane *lane = &state->time->lane[stream->lane];
	struct source_process *const *process;

	source_processes(run_source(report->run), &process);
	table_add_row(table);
	table_set_number(table, COLUMN_gpu_idle_device, lane->device);
	table_set_number(table, COLUMN_gpu_idle_stream, stream->stream);
	table_set_number(table, COLUMN_gpu_idle_pid, process[lane->process]->pid);
}

static void fill_streams(struct report *report, struct table *table)
{
	const struct gpu_time *time = ((const struct idle_report *)report->state)->time;

	for (size_t i = 0; i < time->stream_count; i++)
		for (int kind = 0; kind < GPU_GAPS; kind++) {
			struct idle_sum sum = stream_sum(&time->stream[i], kind);

			if (!sum.count)
				continue;
			put_stream(report, &time->stream[i], table);
			put_sum(table, (enum gpu_gap)kind, &sum);
		}
}

/* --- by line: places with the same meaning are one row --- */

static struct line report_idle_line_of(const struct samples *samples, const struct idle_row *row,
				       enum lines_by by, struct own *own)
{
	const struct sample_place *place = row->kind == IDLE_PLACE
						   ? own_place_or_innermost(samples, own,
									    row->value)
						   : NULL;
	const struct sample_code *code = place ? samples_code(samples, place->code) : NULL;

	if (!code)
		return (struct line){ .file = SAMPLE_NONE,
				      .function = SAMPLE_NONE,
				      .is_torn = row->kind == IDLE_PLACE &&
						 row->value == SAMPLE_TORN_PLACE,
				      /*
				       * distinguishes what was not sampled from what is no Python
				       */
				      .first_line = row->kind == IDLE_NOT_KNOWN };
	return lines_place(by, code->file, code->function, place->line, code->line);
}

static void report_idle_sum_join(struct idle_sum *into, const struct idle_sum *more)
{
	into->count += more->count;
	into->total_ns += more->total_ns;
	if (more->max_ns > into->max_ns)
		into->max_ns = more->max_ns;
}

static void report_idle_put_line(struct table *table, const struct source *source,
				 const struct line *line)
{
	if (line->file != SAMPLE_NONE)
		table_put_name(table, COLUMN_gpu_idle_file, source, line->file);
	if (line->number)
		table_set_number(table, COLUMN_gpu_idle_line, line->number);
	if (line->function != SAMPLE_NONE)
		table_put_name(table, COLUMN_gpu_idle_function, source, line->function);
	else
		table_put_text(table, COLUMN_gpu_idle_function,
			       line->is_torn      ? SAMPLE_TORN
			       : line->first_line ? UNKNOWN
						  : SAMPLE_NOT_PYTHON);
}

static void put_lines(const struct report *report, const struct lines *lines,
		      const struct idle_sum (*sum)[GPU_GAPS], struct table *table)
{
	for (size_t i = 0; i < lines->count; i++)
		for (int kind = 0; kind < GPU_GAPS; kind++) {
			if (!sum[i][kind].count)
				continue;
			table_add_row(table);
			report_idle_put_line(table, run_source(report->run), &lines->line[i]);
			put_sum(table, (enum gpu_gap)kind, &sum[i][kind]);
		}
}

static void report_idle_fill_lines(struct report *report, struct table *table)
{
	const struct idle_report *state = report->state;
	enum lines_by by = report->request->options->by == BY_gpu_idle_function ? LINES_BY_FUNCTION
										: LINES_BY_LINE;
	struct idle_sum(*sum)[GPU_GAPS] = memory_zero(state->idle->row_count + 1, sizeof(*sum));
	struct lines lines = { .by = by };
	struct own own;

	own_places_init(&own, state->samples, run_source(report->run), report->request->options);
	map_init(&lines.map);
	line_links_init(&lines.links);
	for (size_t i = 0; i < state->idle->row_count; i++) {
		const struct idle_row *row = &state->idle->row[i];
		struct line wanted = report_idle_line_of(state->samples, row, by, &own);
		const struct line *line = lines_line(&lines, &wanted);

		for (int kind = 0; kind < GPU_GAPS; kind++)
			report_idle_sum_join(&sum[line - lines.line][kind], &row->gap[kind]);
	}
	put_lines(report, &lines, (const struct idle_sum(*)[GPU_GAPS])sum, table);
	lines_release(&lines);
	own_release(&own);
	free(sum);
}

/* --- by what was recorded --- */

static bool report_idle_has_part(const struct report *report, const struct idle_row *row,
				 const char *part)
{
	size_t length;
	const char *text = name_text(source_name_at(run_source(report->run), (uint32_t)row->value),
				     &length);

	return memmem(text, length, part, strlen(part)) != NULL;
}

static bool is_dataloader(const struct idle *idle, const struct idle_row *row)
{
	size_t length;
	const char *text;

	if (!row->value) /* outside of all operators */
		return false;
	text = idle->op.kind->text(idle->op.state, row->value, &length);
	return text_begins(text, length, DATALOADER);
}

static const char *activity_text(const struct report *report, const struct idle_row *row)
{
	const struct idle *idle = ((const struct idle_report *)report->state)->idle;

	switch (row->kind) {
	case IDLE_OP:
		return is_dataloader(idle, row) ? "DataLoader" : "operator";
	case IDLE_RANGE:
		return "range";
	case IDLE_CUDA:
		return report_idle_has_part(report, row, "Synchronize") ? "CUDA wait" : "CUDA call";
	case IDLE_CUDA_LAUNCH:
		return "CUDA launch";
	case IDLE_CUDA_COPY:
		return "CUDA copy";
	case IDLE_CUDA_MEMORY:
		return "CUDA memory";
	case IDLE_IO:
		return "I/O";
	case IDLE_STATE:
		return "Python";
	case IDLE_PLACE:
	case IDLE_OWNER: /* never counted */
	case IDLE_NOT_KNOWN:
		break;
	}
	return UNKNOWN;
}

/* The columns of a key, or, for an activity, one for all of them. */
static void report_idle_put_key(const struct report *report, const struct run_key *key,
				uint64_t value, struct table *table)
{
	struct run_key named = *key;

	if (report->request->options->by == BY_gpu_idle_activity)
		named.column[0] = COLUMN_gpu_idle_name;
	key_put(&named, value, table);
}

static void put_unknown(const struct report *report, struct table *table)
{
	if (report->request->options->by == BY_gpu_idle_op)
		table_put_text(table, COLUMN_gpu_idle_op, UNKNOWN);
	if (report->request->options->by == BY_gpu_idle_range)
		table_put_text(table, COLUMN_gpu_idle_range, UNKNOWN);
}

static void report_idle_put_row(const struct report *report, const struct idle_row *row,
				struct table *table)
{
	const struct idle *idle = ((const struct idle_report *)report->state)->idle;

	table_put_text(table, COLUMN_gpu_idle_activity, activity_text(report, row));
	switch (row->kind) {
	case IDLE_NOT_KNOWN:
		put_unknown(report, table);
		break;
	case IDLE_OP:
		report_idle_put_key(report, &idle->op, row->value, table);
		break;
	case IDLE_RANGE:
		report_idle_put_key(report, &idle->range, row->value, table);
		break;
	case IDLE_STATE:
		table_put_text(table, COLUMN_gpu_idle_name,
			       stretch_state_text((enum evt_python_state)row->value));
		break;
	default:
		table_put_name(table, COLUMN_gpu_idle_name, run_source(report->run),
			       (uint32_t)row->value);
	}
}

static void report_idle_fill_rows(struct report *report, struct table *table)
{
	const struct idle *idle = ((const struct idle_report *)report->state)->idle;

	for (size_t i = 0; i < idle->row_count; i++)
		for (int kind = 0; kind < GPU_GAPS; kind++) {
			const struct idle_sum *sum = &idle->row[i].gap[kind];

			if (!sum->count)
				continue;
			table_add_row(table);
			report_idle_put_row(report, &idle->row[i], table);
			put_sum(table, (enum gpu_gap)kind, sum);
		}
}

static void report_idle_fill(struct report *report, struct table *table)
{
	switch (report->request->options->by) {
	case BY_gpu_idle_kind:
		fill_streams(report, table);
		break;
	case BY_gpu_idle_line:
	case BY_gpu_idle_function:
		report_idle_fill_lines(report, table);
		break;
	default:
		report_idle_fill_rows(report, table);
	}
}

/* --- totals, and what people read above them --- */

static void report_idle_total(const struct report *report, struct facts *facts)
{
	const struct idle_report *state = report->state;
	const struct idle *idle = state->idle;
	struct idle_sum all = { 0 }, unknown = { 0 };

	for (size_t i = 0; i < state->time->stream_count; i++)
		for (int kind = 0; kind < GPU_GAPS; kind++) {
			struct idle_sum sum = stream_sum(&state->time->stream[i], kind);

			report_idle_sum_join(&all, &sum);
		}
	for (int kind = 0; kind < GPU_GAPS && idle->row_count; kind++)
		report_idle_sum_join(&unknown, &idle->row[0].gap[kind]);
	facts_number(facts, "count", UNIT_COUNT, all.count);
	facts_number(facts, "total_ns", UNIT_NS, all.total_ns);
	if (idle->row_count)
		facts_number(facts, "unknown_ns", UNIT_NS, unknown.total_ns);
	facts_number(facts, "late", UNIT_COUNT, state->time->late);
	facts_number(facts, "untold", UNIT_COUNT, state->unreported->calls);
}

static const char *report_idle_explain(const struct report *report, struct why_empty *absence)
{
	const struct idle_report *state = report->state;

	return unreported_explain(state->unreported, report->run, absence);
}

static void report_idle_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct idle_report *state = report->state;
	char number[UNIT_TEXT_BYTES];

	if (state->time->late)
		screen_print_prose(
			screen,
			"kernels and copies that CUPTI reported too late, which are here in "
			"part: %s",
			unit_format_count(number, state->time->late));
	unreported_print(state->unreported, run_source(report->run), screen);
}

const struct report_kind report_kind_gpu_idle = {
	.state_bytes = sizeof(struct idle_report),
	.family = EVT_FAMILY_gpu,
	.want = report_idle_want,
	.fill = report_idle_fill,
	.total = report_idle_total,
	.explain = report_idle_explain,
	.head = report_idle_head,
};
