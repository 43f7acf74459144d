/* SPDX-License-Identifier: MIT */
/* Report `peak`: who held the heap when most of it lived. */
#include "report/core/report_kind.h"
#include "report/core/unmatched.h"
#include "report/heap/heap_events.h"
#include "report/heap/rows_heap.h"
#include "report/heap/heap_share.h"
#include "report/heap/stack_sums.h"

struct peak_state {
	struct heap *heap;
	struct stack_rows stacks;
};

static void peak_want(struct report *report)
{
	struct peak_state *state = report->state;

	state->heap = heap_want(
		report->run, &(struct heap_options){ BY_alloc_stack,
						     heap_of_options(report->request->options) });
}

static void report_peak_put_row(const struct heap_totals *totals, struct table *table,
				const struct heap_row *row)
{
	table_set_number(table, COLUMN_peak_allocations, row->peak_allocations);
	table_set_number(table, COLUMN_peak_bytes, row->peak_bytes);
	table_set_number(table, COLUMN_peak_allocated, row->allocations);
	if (row->is_sample)
		table_set_number(table, COLUMN_peak_bytes_error, weight_error(row->peak_variance));
	if (totals->peak_bytes)
		table_set_real(table, COLUMN_peak_percent,
			       100.0 * (double)row->peak_bytes / (double)totals->peak_bytes);
}

static void report_peak_put_estimate(const struct heap_totals *totals, struct table *table,
				     const struct heap_estimate *estimate)
{
	static const struct estimate_columns columns = { COLUMN_peak_estimated_allocations,
							 COLUMN_peak_estimated_bytes,
							 COLUMN_peak_estimated_percent };

	heap_put_estimate(table, columns, estimate->peak, totals->peak_bytes);
}

static void peak_fill(struct report *report, struct table *table)
{
	static struct column quiet;
	const struct options *options = report->request->options;
	struct peak_state *state = report->state;
	struct source *source = run_source(report->run);
	struct stack_sums sums = { .count = 0 };

	stack_rows_init(&state->stacks, source, options, stack_by_of(options->by),
			STACK_COLUMNS_OF(peak));
	stack_rows_attach(&state->stacks, table, options->stack_frames);
	stack_sums_estimate(&sums, state->heap);
	if (sums.is_estimated)
		heap_show_estimates(report, table, COLUMN_peak_bytes, &quiet);
	stack_sums_make(&sums, state->heap, source, &state->stacks, WEIGHT_PEAK);
	for (size_t i = 0; i < sums.count; i++) {
		struct stack_sum sum = stack_sums_get(&sums, i);

		/* a row without peak allocations has no sample that lived then */
		if (!sum.row.peak_allocations)
			continue;
		table_add_row(table);
		stack_rows_put(&state->stacks, table, i);
		if (sums.is_estimated)
			report_peak_put_estimate(&state->heap->totals, table, &sum.estimate);
		else
			report_peak_put_row(&state->heap->totals, table, &sum.row);
		table_settle_row(table);
	}
	stack_sums_release(&sums);
}

static void peak_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct peak_state *state = report->state;
	const struct heap_totals *totals = &state->heap->totals;
	char bytes[UNIT_TEXT_BYTES], count[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];
	char error[HEAP_ERROR_BYTES];

	if (!totals->allocations)
		return;
	fprintf(screen->out, "peak         %s%s in %s block%s at %s\n",
		unit_format_bytes(bytes, totals->peak_bytes),
		heap_error(error, state->heap, totals->peak_variance),
		unit_format_count(count, totals->peak_allocations),
		totals->peak_allocations == 1 ? "" : "s",
		unit_format_ns(time, totals->peak_time_ns));
	heap_print_sample(state->heap, screen);
	putc('\n', screen->out);
}

static void peak_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct peak_state *state = report->state;

	unmatched_print_blocks(screen, report->run, state->heap->totals.frees_unmatched,
			       state->heap->totals.reused);
	heap_print_sampling(state->heap, report, screen);
	heap_share_print(state->heap, WEIGHT_PEAK, screen);
	stack_rows_print_notes(&state->stacks, screen);
}

static void peak_total(const struct report *report, struct facts *facts)
{
	const struct heap_totals *totals = &((const struct peak_state *)report->state)
						    ->heap->totals;

	facts_number(facts, "allocations", UNIT_COUNT, totals->peak_allocations);
	facts_number(facts, "bytes", UNIT_BYTES, totals->peak_bytes);
	facts_number(facts, "time_ns", UNIT_NS, totals->peak_time_ns);
	facts_number(facts, "frees_unmatched", UNIT_COUNT, totals->frees_unmatched);
	facts_number(facts, "address_reused", UNIT_COUNT, totals->reused);
	heap_share_total(((const struct peak_state *)report->state)->heap, facts);
	heap_sample_total(((const struct peak_state *)report->state)->heap, facts);
}

static void peak_release(struct report *report)
{
	stack_rows_release(&((struct peak_state *)report->state)->stacks);
}

const struct report_kind report_kind_peak = {
	.state_bytes = sizeof(struct peak_state),
	.family = EVT_FAMILY_alloc,
	.want = peak_want,
	.fill = peak_fill,
	.total = peak_total,
	.explain = heap_explain,
	.head = peak_head,
	.foot = peak_foot,
	.release = peak_release,
};
