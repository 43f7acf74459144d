/* SPDX-License-Identifier: MIT */
/*
 * Report `summary`: where the time and the memory went, on one screen. The text is in summary_text.c;
 * here the totals are added up, which are all that csv and json show.
 */
#include <inttypes.h>
#include <string.h>

#include "report/core/report_kind.h"
#include "report/process/children.h"
#include "report/summary/summary.h"

static struct summary_totals summary_add_up(const struct model *model)
{
	struct summary_totals totals = { .events = run_events_of_all(model->run),
					 .wall_ns = source_end_ns(model->source) };
	struct source_process *const *process;
	struct source_thread *const *thread;
	struct source_file *const *file;
	const struct source_loss *loss;
	size_t processes = source_processes(model->source, &process);
	size_t files = source_files(model->source, &file),
	       losses = source_losses(model->source, &loss);

	totals.processes = processes;
	totals.threads = source_threads(model->source, &thread);
	for (size_t i = 0; i < processes; i++) {
		totals.cpu_ns += process[i]->cpu_ns;
		if (process[i]->memory_peak_bytes > totals.memory_peak_bytes)
			totals.memory_peak_bytes = process[i]->memory_peak_bytes;
		totals.cpu_is_partial |= !process[i]->ended || process[i]->how == EVT_END_UNKNOWN ||
					 process[i]->how == EVT_END_KILLED;
	}
	for (size_t i = 0; i < files; i++) {
		totals.bytes_on_disk += file[i]->bytes;
		totals.profiler_cpu_ns += file[i]->cost_cpu_ns;
		totals.profiler_memory_bytes += file[i]->cost_memory_bytes;
	}
	for (size_t i = 0; i < losses; i++)
		totals.events_lost += loss[i].count;
	totals.children_ns = children_not_recorded_ns(model->source);
	totals.cuda = cuda_add_up(model);
	totals.operators = ops_add_up(model);
	return totals;
}

static void summary_total(const struct report *report, struct facts *facts)
{
	const struct summary *summary = report->state;
	const struct summary_totals *totals = &summary->totals;
	const struct model *model = &report->model;
	const struct heap_totals *heap = &model->heap->totals;

	facts_number(facts, "events", UNIT_COUNT, totals->events);
	facts_number(facts, "events_lost", UNIT_COUNT, totals->events_lost);
	facts_number(facts, "bytes_on_disk", UNIT_BYTES, totals->bytes_on_disk);
	facts_number(facts, "wall_ns", UNIT_NS, totals->wall_ns);
	facts_number(facts, "cpu_ns", UNIT_NS, totals->cpu_ns);
	facts_number(facts, "profiler_cpu_ns", UNIT_NS, totals->profiler_cpu_ns);
	facts_number(facts, "profiler_memory_bytes", UNIT_BYTES, totals->profiler_memory_bytes);
	facts_number(facts, "children_not_recorded_ns", UNIT_NS, totals->children_ns);
	facts_number(facts, "memory_peak_bytes", UNIT_BYTES, totals->memory_peak_bytes);
	facts_number(facts, "processes", UNIT_COUNT, totals->processes);
	facts_number(facts, "threads", UNIT_COUNT, totals->threads);
	facts_number(facts, "allocations", UNIT_COUNT, heap->allocations);
	facts_number(facts, "bytes_allocated", UNIT_BYTES, heap->bytes_allocated);
	facts_number(facts, "peak_bytes", UNIT_BYTES, heap->peak_bytes);
	facts_number(facts, "live_bytes", UNIT_BYTES, heap->live_bytes);
	facts_number(facts, "operators", UNIT_COUNT, totals->operators.calls);
	if (ops_are_sampled(model)) /* what cannot be told is null */
		facts_none(facts, "operators_self_cpu_ns", UNIT_NS);
	else
		facts_number(facts, "operators_self_cpu_ns", UNIT_NS,
			     totals->operators.self_cpu_ns);
	facts_number(facts, "cuda_calls", UNIT_COUNT, totals->cuda.calls);
	facts_number(facts, "cuda_ns", UNIT_NS, totals->cuda.total_ns);
	facts_number(facts, "cuda_errors", UNIT_COUNT, totals->cuda.errors);
	facts_number(facts, "launches", UNIT_COUNT, totals->cuda.launches);
	facts_number(facts, "graph_launches", UNIT_COUNT, totals->cuda.graph_launches);
	facts_number(facts, "memcpy_calls", UNIT_COUNT, totals->cuda.copies);
	facts_number(facts, "memcpy_bytes", UNIT_BYTES, totals->cuda.copied_bytes);
	facts_number(facts, "device_peak_bytes", UNIT_BYTES, totals->cuda.device_peak_bytes);
	facts_number(facts, "device_live_bytes", UNIT_BYTES, totals->cuda.device_live_bytes);
	facts_number(facts, "steps", UNIT_COUNT, model->steps.time.count);
	facts_number(facts, "step_p50_ns", UNIT_NS, timing_percentile(&model->steps.time, 50));
	facts_number(facts, "step_total_ns", UNIT_NS, model->steps.time.total_ns);
	facts_number(facts, "step_dataloader_ns", UNIT_NS, model->steps.ns[STEP_dataloader]);
}

static void summary_fill_rows(struct table *table, const struct facts *facts)
{
	const struct fact *fact = facts->fact;

	for (size_t i = 0; i < facts->count; i++) {
		const char *value = text_store_format(&table->texts, "%" PRIu64,
						      fact[i].cell.number);

		table_add_row(table);
		table_set_text(table, COLUMN_summary_name, fact[i].name, strlen(fact[i].name));
		if (fact[i].cell.kind != CELL_NONE)
			table_set_text(table, COLUMN_summary_value, value, strlen(value));
	}
}

static void summary_want(struct report *report, struct model_options *options)
{
	(void)report;
	options->wants_heap = true;
	options->wants_ranges = true;
	options->wants_cuda = true;
	options->wants_steps = true;
	options->wants_operators = true;
}

/* The rows are the totals, for programs that read rows only. */
static void summary_fill(struct report *report, struct table *table)
{
	struct summary *summary = report->state;
	struct facts facts = { .count = 0 };

	*summary = (struct summary){ &report->model, summary_add_up(&report->model) };
	summary_total(report, &facts);
	summary_fill_rows(table, &facts);
	facts_release(&facts);
}

static void summary_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;

	summary_print(report->state, document, screen);
}

const struct report_kind report_kind_summary = {
	.state_bytes = sizeof(struct summary),
	.form = REPORT_TEXT,
	.want = summary_want,
	.fill = summary_fill,
	.total = summary_total,
	.head = summary_head,
};
