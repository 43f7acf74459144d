/* SPDX-License-Identifier: MIT */
/* Report `alloc`: who allocates, how much, what stays. */
#include "report/options/keys.h"
#include "report/core/known.h"
#include "report/core/report_kind.h"
#include "report/heap/heap_events.h"
#include "report/heap/resident.h"
#include "report/heap/rows_heap.h"
#include "report/heap/heap_share.h"
#include "report/core/coverage.h"
#include "report/table/curve_print.h"
#include "report/core/unmatched.h"

#define BAR_WIDTH_MAX 40

#define ARENAS_BYTES_MIN (1u << 20)
#define ARENAS_SHARE_MIN 0.1 /* share of the heap at its peak */

struct alloc_state {
	struct heap *heap;
	struct late_callers callers;
	bool is_named;
	struct stack_rows stacks;
	bool has_stacks;
	struct resident *resident; /* NULL: not asked for */
};

static const char *blocks(uint64_t count)
{
	return count == 1 ? "block" : "blocks";
}

static void alloc_print_totals(const struct report *report, const struct screen *screen)
{
	const struct alloc_state *state = report->state;
	const struct heap_totals *totals = &state->heap->totals;
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES], error[HEAP_ERROR_BYTES];
	struct coverage_text still_live;

	fprintf(screen->out, "allocated    %s%s in %s %s",
		unit_format_bytes(a, totals->bytes_allocated),
		heap_error(error, state->heap, totals->variance),
		unit_format_count(b, totals->allocations), blocks(totals->allocations));
	if (totals->allocations && !totals->sampled)
		fprintf(screen->out, ", %s of them temporary",
			unit_format_percent(c, 100.0 * (double)totals->temporary_allocations /
						       (double)totals->allocations));
	fprintf(screen->out, "\npeak         %s%s in %s %s at %s\n",
		unit_format_bytes(a, totals->peak_bytes),
		heap_error(error, state->heap, totals->peak_variance),
		unit_format_count(b, totals->peak_allocations), blocks(totals->peak_allocations),
		unit_format_ns(c, totals->peak_time_ns));
	fprintf(screen->out, "%-11s  %s%s in %s %s\n",
		heap_still_live(state->heap, report->run, &still_live),
		unit_format_bytes(a, totals->kept_bytes),
		heap_error(error, state->heap, totals->kept_variance),
		unit_format_count(b, totals->kept_allocations), blocks(totals->kept_allocations));
	if (state->heap->has_ends)
		fprintf(screen->out,
			"at the end   %s%s in %s %s were still allocated after Python had shut "
			"down\n",
			unit_format_bytes(a, totals->live_bytes),
			heap_error(error, state->heap, totals->live_variance),
			unit_format_count(b, totals->live_allocations),
			blocks(totals->live_allocations));
	heap_print_sample(state->heap, screen);
}

/* Prints one line per size class. */
static void alloc_print_sizes(const struct heap *heap, const struct screen *screen)
{
	unsigned int first = SIZE_CLASSES, last = 0;
	uint64_t most = 1;

	for (unsigned int i = 0; i < SIZE_CLASSES; i++) {
		if (!heap->class_allocations[i])
			continue;
		first = i < first ? i : first;
		last = i;
		if (heap->class_allocations[i] > most)
			most = heap->class_allocations[i];
	}
	fputs("\nblocks by size\n", screen->out);
	for (unsigned int i = first; i <= last; i++) {
		char size[UNIT_TEXT_BYTES], count[UNIT_TEXT_BYTES], bytes[UNIT_TEXT_BYTES];
		double share = (double)heap->class_allocations[i] / (double)most;
		size_t bar = (size_t)(share * BAR_WIDTH_MAX * (screen->width < 100 ? 0.6 : 1) +
				      0.5);

		if (!heap->class_allocations[i])
			continue;
		fprintf(screen->out, "  %-15s %15s %11s  ",
			unit_format(size, UNIT_CLASS, size_class_top(i)),
			unit_format_count(count, heap->class_allocations[i]),
			unit_format_bytes(bytes, heap->class_bytes[i]));
		while (bar--)
			fputs(screen->utf8 ? "\u2588" : "#", screen->out);
		putc('\n', screen->out);
	}
}

static void alloc_print_resident(const struct resident *resident, const struct screen *screen)
{
	uint32_t index;
	const struct resident_process *most = resident_most(resident, &index);
	struct curve_extent extent = { .end_ns = source_end_ns(resident->source) };
	struct source_process *const *process;
	char bytes[UNIT_TEXT_BYTES];

	if (!most || !most->curves)
		return;
	source_processes(resident->source, &process);
	extent.peak = most->peak.resident;
	fprintf(screen->out, "resident memory of process %u", process[index]->pid);
	if (process[index]->memory_peak_bytes)
		fprintf(screen->out, ", peak %s",
			unit_format_bytes(bytes, process[index]->memory_peak_bytes));
	fputs("\n  ", screen->out);
	curve_print(&most->curves->resident, extent, screen, screen->width - 4);
}

/* Prints Python's arenas, which the table cannot list. */
static void alloc_print_arenas(const struct report *report, const struct screen *screen)
{
	const struct alloc_state *state = report->state;
	char text[UNIT_TEXT_BYTES];
	uint64_t bytes = 0;

	if (state->resident && !run_filters(report->run)->any)
		bytes = mappings_python_peak(state->resident->mappings, state->resident->source);
	if (bytes < ARENAS_BYTES_MIN ||
	    (double)bytes < ARENAS_SHARE_MIN * (double)state->heap->totals.peak_bytes)
		return;
	screen_print_prose(screen,
			   "small objects of Python are not in this table: they live in its "
			   "arenas, %s at most (prof-report memory). %s",
			   unit_format_bytes(text, bytes),
			   why_empty_is_off(report->run, EVT_FAMILY_pymem)
				   ? "Record with INTERCEPT_TRACE=+pymem to have each of them"
				   : "prof-report alloc --allocator python has them");
}

static void alloc_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct alloc_state *state = report->state;
	struct symbols_missing missing;

	unmatched_print_blocks(screen, report->run, state->heap->totals.frees_unmatched,
			       state->heap->totals.reused);
	alloc_print_arenas(report, screen);
	heap_print_sampling(state->heap, report, screen);
	if (state->has_stacks) {
		heap_share_print(state->heap, WEIGHT_BYTES, screen);
		stack_rows_print_notes(&state->stacks, screen);
	}
	if (state->is_named && !state->has_stacks &&
	    symbols_missing(&state->callers.symbols, &missing)[0])
		screen_print_prose(screen, "no functions of files that are not those recorded: %s",
				   missing.text);
	if (state->is_named && !state->has_stacks &&
	    symbols_bare(&state->callers.symbols, &missing)[0])
		screen_print_prose(screen, "%s", missing.text);
	if (state->is_named && !state->has_stacks &&
	    symbols_nameless(&state->callers.symbols, &missing)[0])
		screen_print_prose(screen, "%s", missing.text);
	if (!(report->request->options->given & TAKES_BY)) /* not when one table was asked for */
		alloc_print_sizes(state->heap, screen);
}

static void alloc_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct heap *heap = ((const struct alloc_state *)report->state)->heap;
	char end[UNIT_TEXT_BYTES];

	if (!heap->totals.allocations)
		return;
	alloc_print_totals(report, screen);
	fprintf(screen->out, "\n%s over %s\n  ",
		heap_of_options(report->request->options) == HEAP_OF_PYTHON ? "objects of Python"
									    : "heap",
		unit_format_ns(end, known_until_ns(report->run)));
	heap_print_curve(heap, report->run, screen, screen->width - 4);
	if (((const struct alloc_state *)report->state)->resident && !run_filters(report->run)->any)
		alloc_print_resident(((const struct alloc_state *)report->state)->resident, screen);
	putc('\n', screen->out);
}

/* Callers are read by stack as well if stacks are to be shown or examined. */
static bool wants_stacks(const struct options *options)
{
	return stack_by_of(options->by) != STACK_BY_LIMIT ||
	       (options->by == BY_alloc_caller &&
		(options->stack_frames || stack_rows_are_filtered(options)));
}

static void alloc_want(struct report *report)
{
	const struct options *options = report->request->options;
	enum heap_of of = heap_of_options(options);
	struct alloc_state *state = report->state;
	struct heap_options heap = { options->by, of };

	state->has_stacks = wants_stacks(options);
	if (state->has_stacks)
		heap.by = BY_alloc_stack;
	/*
	 * The heap by caller is read already and one look at blocks is enough. Resident memory is
	 * shown of the whole recording only.
	 */
	if (options->by == BY_alloc_caller && of == HEAP_OF_C && !run_filters(report->run)->any)
		state->resident = resident_want(report->run, &(struct resident_options){ heap });
	state->heap = heap_want(report->run, &heap);
}

static void alloc_fill_callers(struct report *report, struct table *table)
{
	const struct options *options = report->request->options;
	struct alloc_state *state = report->state;
	struct heap_names names = {
		.stacks = state->has_stacks ? &state->stacks : NULL,
		.form = (enum symbol_form)options->of_report[REPORT_OPTION_names].choice,
		.is_off = options->of_report[REPORT_OPTION_symbols].choice == SYMBOLS_OFF,
		.for_people = options->format == FORMAT_TABLE || options->format == FORMAT_MARKDOWN,
	};

	names.is_brief = names.for_people && !options->columns && !options->filter_count;
	state->is_named = !names.is_off || state->has_stacks;
	if (state->is_named)
		heap_fill_named_table(state->heap, run_source(report->run), table, &state->callers,
				      names);
	else
		heap_fill_table(state->heap, run_source(report->run), table);
}

static void alloc_fill_estimates(struct report *report, struct table *table)
{
	static struct column quiet;
	struct alloc_state *state = report->state;

	heap_show_estimates(report, table, COLUMN_alloc_bytes_allocated, &quiet);
	heap_fill_stacks(state->heap, run_source(report->run), table, &state->stacks);
}

static void alloc_fill(struct report *report, struct table *table)
{
	const struct options *options = report->request->options;
	struct alloc_state *state = report->state;
	struct source *source = run_source(report->run);

	if (state->has_stacks) {
		stack_rows_init(&state->stacks, source, options,
				options->by == BY_alloc_caller ? STACK_BY_STACK
							       : stack_by_of(options->by),
				STACK_COLUMNS_OF(alloc));
		stack_rows_attach(&state->stacks, table, options->stack_frames);
	}
	if (options->by == BY_alloc_caller)
		alloc_fill_callers(report, table);
	else if (state->has_stacks && state->heap->estimate)
		alloc_fill_estimates(report, table);
	else if (state->has_stacks)
		heap_fill_stacks(state->heap, source, table, &state->stacks);
	else
		heap_fill_table(state->heap, source, table);
}

static void alloc_release(struct report *report)
{
	struct alloc_state *state = report->state;

	if (state->is_named)
		late_callers_release(&state->callers);
	if (state->has_stacks)
		stack_rows_release(&state->stacks);
}

static void alloc_total(const struct report *report, struct facts *facts)
{
	const struct alloc_state *state = report->state;
	const struct heap_totals *totals = &state->heap->totals;

	facts_number(facts, "allocations", UNIT_COUNT, totals->allocations);
	facts_number(facts, "frees", UNIT_COUNT, totals->frees);
	facts_number(facts, "frees_unmatched", UNIT_COUNT, totals->frees_unmatched);
	facts_number(facts, "bytes_allocated", UNIT_BYTES, totals->bytes_allocated);
	facts_number(facts, "bytes_freed", UNIT_BYTES, totals->bytes_freed);
	facts_number(facts, "peak_bytes", UNIT_BYTES, totals->peak_bytes);
	facts_number(facts, "peak_time_ns", UNIT_NS, totals->peak_time_ns);
	facts_number(facts, "peak_allocations", UNIT_COUNT, totals->peak_allocations);
	facts_number(facts, "live_allocations", UNIT_COUNT, totals->kept_allocations);
	facts_number(facts, "live_bytes", UNIT_BYTES, totals->kept_bytes);
	facts_number(facts, "end_allocations", UNIT_COUNT, totals->live_allocations);
	facts_number(facts, "end_bytes", UNIT_BYTES, totals->live_bytes);
	if (totals->sampled) /* what cannot be known is null */
		facts_none(facts, "temporary_allocations", UNIT_COUNT);
	else
		facts_number(facts, "temporary_allocations", UNIT_COUNT,
			     totals->temporary_allocations);
	facts_number(facts, "address_reused", UNIT_COUNT, totals->reused);
	facts_number(facts, "reallocs_failed", UNIT_COUNT, totals->reallocs_failed);
	heap_share_total(state->heap, facts);
	heap_sample_total(state->heap, facts);
}

const struct report_kind report_kind_alloc = {
	.state_bytes = sizeof(struct alloc_state),
	.family = EVT_FAMILY_alloc,
	.want = alloc_want,
	.fill = alloc_fill,
	.total = alloc_total,
	.explain = heap_explain,
	.head = alloc_head,
	.foot = alloc_foot,
	.release = alloc_release,
};
