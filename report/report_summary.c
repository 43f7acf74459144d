/* SPDX-License-Identifier: MIT */
/*
 * Report `summary`: where the time and the memory went, on one screen. The text is in summary_text.c;
 * here the totals are added up, which are all that csv and json show.
 */
#include <inttypes.h>
#include <string.h>

#include "report/report.h"
#include "report/summary.h"

static struct summary_totals summary_add_up(const struct model *model)
{
	struct summary_totals totals = { .events = model->counted,
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
	totals.cuda = cuda_add_up(model);
	totals.operators = ops_add_up(model);
	return totals;
}

static void summary_fill_rows(struct table *table, const struct fact *fact, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *value = text_store_format(&table->texts, "%" PRIu64,
						      fact[i].cell.number);

		table_add_row(table);
		table_set_text(table, COLUMN_summary_name, fact[i].name, strlen(fact[i].name));
		if (fact[i].cell.kind != CELL_NONE)
			table_set_text(table, COLUMN_summary_value, value, strlen(value));
	}
}

/* What cannot be told is null. */
static void fact_clear(struct fact *fact, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(fact[i].name, name))
			fact[i].cell.kind = CELL_NONE;
}

static int summary_write(struct report_request *request, struct table *table, struct model *model)
{
	struct summary summary = { .model = model, .totals = summary_add_up(model) };
	const struct summary_totals *totals = &summary.totals;
	const struct heap_totals *heap = &model->heap.totals;
	struct fact facts[] = {
		FACT_NUMBER("events", UNIT_COUNT, totals->events),
		FACT_NUMBER("events_lost", UNIT_COUNT, totals->events_lost),
		FACT_NUMBER("bytes_on_disk", UNIT_BYTES, totals->bytes_on_disk),
		FACT_NUMBER("wall_ns", UNIT_NS, totals->wall_ns),
		FACT_NUMBER("cpu_ns", UNIT_NS, totals->cpu_ns),
		FACT_NUMBER("profiler_cpu_ns", UNIT_NS, totals->profiler_cpu_ns),
		FACT_NUMBER("profiler_memory_bytes", UNIT_BYTES, totals->profiler_memory_bytes),
		FACT_NUMBER("processes", UNIT_COUNT, totals->processes),
		FACT_NUMBER("threads", UNIT_COUNT, totals->threads),
		FACT_NUMBER("allocations", UNIT_COUNT, heap->allocations),
		FACT_NUMBER("bytes_allocated", UNIT_BYTES, heap->bytes_allocated),
		FACT_NUMBER("peak_bytes", UNIT_BYTES, heap->peak_bytes),
		FACT_NUMBER("live_bytes", UNIT_BYTES, heap->live_bytes),
		FACT_NUMBER("operators", UNIT_COUNT, totals->operators.calls),
		FACT_NUMBER("operators_self_cpu_ns", UNIT_NS, totals->operators.self_cpu_ns),
		FACT_NUMBER("cuda_calls", UNIT_COUNT, totals->cuda.calls),
		FACT_NUMBER("cuda_ns", UNIT_NS, totals->cuda.total_ns),
		FACT_NUMBER("cuda_errors", UNIT_COUNT, totals->cuda.errors),
		FACT_NUMBER("launches", UNIT_COUNT, totals->cuda.launches),
		FACT_NUMBER("graph_launches", UNIT_COUNT, totals->cuda.graph_launches),
		FACT_NUMBER("memcpy_calls", UNIT_COUNT, totals->cuda.copies),
		FACT_NUMBER("memcpy_bytes", UNIT_BYTES, totals->cuda.copied_bytes),
		FACT_NUMBER("device_peak_bytes", UNIT_BYTES, totals->cuda.device_peak_bytes),
		FACT_NUMBER("device_live_bytes", UNIT_BYTES, totals->cuda.device_live_bytes),
		FACT_NUMBER("steps", UNIT_COUNT, model->steps.time.count),
		FACT_NUMBER("step_p50_ns", UNIT_NS, timing_percentile(&model->steps.time, 50)),
		FACT_NUMBER("step_total_ns", UNIT_NS, model->steps.time.total_ns),
		FACT_NUMBER("step_dataloader_ns", UNIT_NS, model->steps.ns[STEP_dataloader]),
	};
	struct document document = {
		.fact = facts,
		.fact_count = sizeof(facts) / sizeof(facts[0]),
		.head = summary_print,
		.head_only = true,
		.context = &summary,
	};

	if (ops_are_sampled(model))
		fact_clear(facts, document.fact_count, "operators_self_cpu_ns");
	summary_fill_rows(table, facts, document.fact_count);
	return request_write(request, &document, table);
}

int report_summary(struct report_request *request)
{
	struct table table;
	int status;

	table_init(&table, "summary", NULL);
	status = request_prepare(request, &table);
	if (!status) {
		struct model_options options = request_model_options(request);
		struct model model;

		options.wants_heap = true;
		options.wants_ranges = true;
		options.wants_cuda = true;
		options.wants_steps = true;
		options.wants_operators = true;
		request->arrangement.limit = 0;
		model_init(&model, request->source, &options);
		request_read(request, &model);
		status = summary_write(request, &table, &model);
		model_release(&model);
	}
	table_release(&table);
	return status;
}
