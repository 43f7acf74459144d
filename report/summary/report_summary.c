/* SPDX-License-Identifier: MIT */
/*
 * Report `summary`: where the time and the memory went, on one screen. The text is in
 * summary_text.c; here the totals are added up, which are all that csv and json show.
 */
#include <inttypes.h>
#include <string.h>

#include "report/core/report_kind.h"
#include "report/cuda/cuda_events.h"
#include "report/heap/growth.h"
#include "report/heap/heap_events.h"
#include "report/heap/heap_share.h"
#include "report/nvtx/range_events.h"
#include "report/process/children.h"
#include "report/steps/step_events.h"
#include "report/summary/summary_screen.h"
#include "report/torch/operator_events.h"

/*
 * With filters, those without an event that counts are left out, as in reports processes and
 * threads.
 */
static void add_selected(const struct summary *summary, struct summary_totals *totals)
{
	const struct selection *filters = run_filters(summary->run);
	struct source_process *const *process;
	struct source_thread *const *thread;
	size_t processes = source_processes(summary->source, &process),
	       threads = source_threads(summary->source, &thread);

	totals->has_lives = !filter_cuts_lives(&filters->settings);
	for (size_t i = 0; i < processes; i++) {
		if (filters->any && !run_events_of_process(summary->run, process[i]))
			continue;
		totals->selected_processes++;
		totals->selected_cpu_ns += process_own_cpu_ns(summary->source, process[i]);
		if (process[i]->memory_peak_bytes > totals->selected_peak_bytes)
			totals->selected_peak_bytes = process[i]->memory_peak_bytes;
	}
	for (size_t i = 0; i < threads; i++)
		totals->selected_threads += !filters->any ||
					    run_events_of_thread(summary->run, thread[i]);
}

static struct summary_totals summary_add_up(const struct summary *summary)
{
	struct summary_totals totals = { .events = run_events_of_all(summary->run),
					 .wall_ns = source_end_ns(summary->source) };
	struct source_process *const *process;
	struct source_thread *const *thread;
	struct source_file *const *file;
	const struct source_loss *loss;
	size_t processes = source_processes(summary->source, &process);
	size_t files = source_files(summary->source, &file),
	       losses = source_losses(summary->source, &loss);

	totals.processes = processes;
	totals.threads = source_threads(summary->source, &thread);
	for (size_t i = 0; i < processes; i++) {
		totals.cpu_ns += process_own_cpu_ns(summary->source, process[i]);
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
		totals.events_lost += lost_is_of_events(loss[i].reason) ? loss[i].count : 0;
	totals.has_children = children_not_recorded(summary->source, &totals.children_ns);
	totals.cuda = cuda_add_up(summary->cuda, summary->source);
	totals.operators = ops_add_up(summary->operators, summary->source);
	add_selected(summary, &totals);
	return totals;
}

/* In older recordings the value is unknown: the fact then has no value, not 0. */
static void put_where_told(struct facts *facts, const char *name, enum unit unit, bool is_told,
			   uint64_t value)
{
	if (is_told)
		facts_number(facts, name, unit, value);
	else
		facts_none(facts, name, unit);
}

/* The moment with the most resident memory, in the process that had the most. */
static void summary_put_memory(const struct summary *summary, struct facts *facts)
{
	uint32_t index;
	const struct resident_process *most = resident_most(summary->resident, &index);
	const struct resident_moment *moment = most ? &most->peak : &(struct resident_moment){ 0 };
	bool has_kinds = most && moment->has_kinds, has_blocks = most && moment->has_blocks;

	put_where_told(facts, "memory_seen_bytes", UNIT_BYTES, most, moment->resident);
	put_where_told(facts, "memory_heap_bytes", UNIT_BYTES, has_blocks, moment->heap);
	put_where_told(facts, "memory_arena_bytes", UNIT_BYTES, has_blocks, moment->arenas);
	put_where_told(facts, "memory_mapped_bytes", UNIT_BYTES, has_blocks, moment->mapped);
	put_where_told(facts, "memory_file_bytes", UNIT_BYTES, has_kinds, moment->file);
	put_where_told(facts, "memory_shared_bytes", UNIT_BYTES, has_kinds, moment->shared);
	if (moment->brk && moment->knows_all)
		put_where_told(facts, "memory_kept_bytes", UNIT_BYTES, has_kinds && has_blocks,
			       resident_kept(moment));
	put_where_told(facts, "memory_rest_bytes", UNIT_BYTES, has_kinds && has_blocks,
		       resident_rest(moment));
}

static void put_gpu(const struct summary *summary, struct facts *facts)
{
	struct gpu_totals gpu = summary_gpu_add_up(summary);

	if (gpu.devices || summary->unreported->calls)
		facts_number(facts, "gpu_untold", UNIT_COUNT, summary->unreported->calls);
	if (!gpu.devices)
		return;
	facts_number(facts, "gpu_busy_ns", UNIT_NS, gpu.busy_ns);
	facts_number(facts, "gpu_span_ns", UNIT_NS, gpu.span_ns);
}

/* The bar of a step, and how many first steps it leaves out. */
static void put_step_parts(const struct summary *summary, struct facts *facts)
{
#define PHASE(name) { "step_" #name "_ns", "gpu_step_" #name "_ns" },
	static const char *const names[SUMMARY_STEP_PARTS][2] = {
		STEP_PHASES(PHASE) /* in the order of their numbers */
		{ "step_gc_ns", NULL },
		{ "step_outside_ns", NULL },
		{ "step_gpu_wait_ns", NULL },
	};
#undef PHASE
	struct summary_step step;

	if (!summary_step_parts(summary, &step))
		return;
	facts_number(facts, "warm_up_steps", UNIT_COUNT, summary->bottleneck.loop.warm_steps);
	for (size_t i = 0; i < SUMMARY_STEP_PARTS; i++)
		if (step.ns[i])
			facts_number(facts, names[i][step.is_of_gpu], UNIT_NS, step.ns[i]);
}

static void put_requests(const struct summary *summary, struct facts *facts)
{
	struct timing time = requests_time(summary->requests);

	if (time.count) {
		facts_number(facts, "requests", UNIT_COUNT, time.count);
		facts_number(facts, "request_p50_ns", UNIT_NS, timing_percentile(&time, 50));
		facts_number(facts, "request_p99_ns", UNIT_NS, timing_percentile(&time, 99));
	}
	timing_release(&time);
}

static void summary_total_heap(const struct heap *heap, struct facts *facts)
{
	const struct heap_totals *totals = &heap->totals;

	facts_number(facts, "allocations", UNIT_COUNT, totals->allocations);
	facts_number(facts, "bytes_allocated", UNIT_BYTES, totals->bytes_allocated);
	facts_number(facts, "peak_bytes", UNIT_BYTES, totals->peak_bytes);
	facts_number(facts, "live_bytes", UNIT_BYTES, totals->kept_bytes);
	heap_share_total(heap, facts);
}

static void summary_total_operators(const struct summary *summary, struct facts *facts)
{
	const struct summary_totals *totals = &summary->totals;

	facts_number(facts, "operators", UNIT_COUNT, totals->operators.estimated_calls);
	if (ops_are_sampled(summary->operators)) /* what cannot be known is null */
		facts_none(facts, "operators_self_cpu_ns", UNIT_NS);
	else
		facts_number(facts, "operators_self_cpu_ns", UNIT_NS,
			     totals->operators.self_cpu_ns);
}

static void summary_total_cuda(const struct summary *summary, struct facts *facts)
{
	const struct summary_totals *totals = &summary->totals;

	facts_number(facts, "cuda_calls", UNIT_COUNT, totals->cuda.calls);
	facts_number(facts, "cuda_ns", UNIT_NS, totals->cuda.total_ns);
	facts_number(facts, "cuda_errors", UNIT_COUNT, totals->cuda.errors);
	facts_number(facts, "launches", UNIT_COUNT, totals->cuda.launches);
	facts_number(facts, "graph_launches", UNIT_COUNT, totals->cuda.graph_launches);
	facts_number(facts, "memcpy_calls", UNIT_COUNT, totals->cuda.copies);
	facts_number(facts, "memcpy_bytes", UNIT_BYTES, totals->cuda.copied_bytes);
	facts_number(facts, "device_peak_bytes", UNIT_BYTES, totals->cuda.device_peak_bytes);
	facts_number(facts, "device_live_bytes", UNIT_BYTES, totals->cuda.device_live_bytes);
}

static void summary_total_steps(const struct steps *steps, struct facts *facts)
{
	facts_number(facts, "steps", UNIT_COUNT, steps->time.count);
	facts_number(facts, "step_p50_ns", UNIT_NS, timing_percentile(&steps->time, 50));
	facts_number(facts, "step_total_ns", UNIT_NS, steps->time.total_ns);
	if (steps->detailed != steps->time.count) {
		facts_number(facts, "detailed_steps", UNIT_COUNT, steps->detailed);
		facts_number(facts, "detailed_ns", UNIT_NS, steps->detailed_ns);
	}
	facts_number(facts, "step_dataloader_ns", UNIT_NS, steps->ns[STEP_dataloader]);
}

static void summary_total(const struct report *report, struct facts *facts)
{
	const struct summary *summary = report->state;
	const struct summary_totals *totals = &summary->totals;
	const struct summary_phases *phases = &summary->phases;

	facts_number(facts, "events", UNIT_COUNT, totals->events);
	facts_number(facts, "events_lost", UNIT_COUNT, totals->events_lost);
	facts_number(facts, "bytes_on_disk", UNIT_BYTES, totals->bytes_on_disk);
	facts_number(facts, "wall_ns", UNIT_NS, totals->wall_ns);
	put_where_told(facts, "startup_ns", UNIT_NS, phases->is_known, phases->startup_ns);
	put_where_told(facts, "steps_ns", UNIT_NS, phases->is_known, phases->steps_ns);
	put_where_told(facts, "after_ns", UNIT_NS, phases->is_known, phases->after_ns);
	put_where_told(facts, "cpu_ns", UNIT_NS, totals->has_lives, totals->selected_cpu_ns);
	facts_number(facts, "profiler_cpu_ns", UNIT_NS, totals->profiler_cpu_ns);
	facts_number(facts, "profiler_memory_bytes", UNIT_BYTES, totals->profiler_memory_bytes);
	put_where_told(facts, "children_not_recorded_ns", UNIT_NS,
		       totals->has_children && !run_filters(summary->run)->any,
		       totals->children_ns);
	put_where_told(facts, "memory_peak_bytes", UNIT_BYTES,
		       totals->has_lives && totals->selected_peak_bytes,
		       totals->selected_peak_bytes);
	summary_put_memory(summary, facts);
	facts_number(facts, "captures", UNIT_COUNT, captures_recorded(summary->captures));
	facts_number(facts, "processes", UNIT_COUNT, totals->selected_processes);
	facts_number(facts, "threads", UNIT_COUNT, totals->selected_threads);
	summary_total_heap(summary->heap, facts);
	summary_total_operators(summary, facts);
	summary_total_cuda(summary, facts);
	put_gpu(summary, facts);
	summary_total_steps(summary->steps, facts);
	put_step_parts(summary, facts);
	put_requests(summary, facts);
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

static void summary_want(struct report *report)
{
	struct run *run = report->run;

	run_counts_all(run);
	*(struct summary *)report->state = (struct summary){
		.tensors = tensors_want(run, &(struct tensors_options){ .by = BY_tensors_op }),
		.captures = captures_want(run, NULL),
		.names = range_names_want(run, NULL),
		.run = run,
		.source = run_source(run),
		.heap = heap_want(run, &(struct heap_options){ .by = BY_alloc_stack }),
		.growth = growth_want(run, NULL),
		.resident = resident_want(
			run, &(struct resident_options){ { BY_alloc_stack, HEAP_OF_C } }),
		.ranges = ranges_want(
			run, &(struct ranges_options){ .work = WORK_BIT(bytes_allocated) }),
		.cuda = cuda_want(run, &(struct cuda_options){ CUDA_BY_FIRST }),
		.gpu = gpu_want(run, &(struct gpu_options){ .by = BY_kernels_name }),
		.gpu_time = gpu_time_want(run, NULL),
		.unreported = unreported_want(run, NULL),
		.operators = operators_want_rows(run, NULL, OPERATORS_ALL),
		.samples = samples_want(run, &(struct samples_options){ BY_lines_line }),
		.native = native_events_want(run,
					     &(struct native_events_options){ BY_native_stack }),
		.imports = imports_want(run, NULL),
		.steps = steps_want(run, &(struct steps_options){ .wants_rows = true }),
		.requests = requests_want(run,
					  &(struct requests_options){ .by = BY_requests_endpoint }),
		.works = works_want(run, WORK_BIT(allocations) | WORK_BIT(bytes_allocated)),
	};
	bottleneck_want(&((struct summary *)report->state)->bottleneck, run);
	stuck_want(&((struct summary *)report->state)->stuck, run);
}

/*
 * Unknown if only a part was recorded or read, because then it is not known what is outside of
 * steps.
 */
static struct summary_phases report_summary_find_phases(const struct summary *summary)
{
	const struct steps *steps = summary->steps;
	uint64_t first_ns = UINT64_MAX, last_ns = 0, wall_ns = summary->totals.wall_ns;

	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_row *row = &steps->row[i];

		first_ns = row->start_ns < first_ns ? row->start_ns : first_ns;
		if (row->start_ns + row->total_ns > last_ns)
			last_ns = row->start_ns + row->total_ns;
	}
	if (first_ns >= last_ns || last_ns > wall_ns || run_filters(summary->run)->any ||
	    why_empty_is_limited(summary->run))
		return (struct summary_phases){ .is_known = false };
	return (struct summary_phases){ .is_known = true,
					.startup_ns = first_ns,
					.steps_ns = last_ns - first_ns,
					.after_ns = wall_ns - last_ns };
}

/* The rows are the totals, for programs that read rows only. */
static void summary_fill(struct report *report, struct table *table)
{
	struct summary *summary = report->state;
	struct facts facts = { .count = 0 };

	summary->totals = summary_add_up(summary);
	summary->phases = report_summary_find_phases(summary);
	summary->heap_owner = heap_owner_of(summary->heap, summary->source);
	bottleneck_look(&summary->bottleneck);
	stuck_find(&summary->stuck, report->request->options);
	summary_total(report, &facts);
	summary_fill_rows(table, &facts);
	facts_release(&facts);
}

static void summary_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;

	summary_print(report->state, document, screen);
}

static bool summary_says_losses(const struct report *report)
{
	return !summary_shows_all(report->state, &report->request->screen);
}

static void summary_end(struct report *report)
{
	stuck_release(&((struct summary *)report->state)->stuck);
	bottleneck_release(&((struct summary *)report->state)->bottleneck);
}

const struct report_kind report_kind_summary = {
	.state_bytes = sizeof(struct summary),
	.form = REPORT_TEXT,
	.want = summary_want,
	.fill = summary_fill,
	.total = summary_total,
	.says_losses = summary_says_losses,
	.head = summary_head,
	.release = summary_end,
};
