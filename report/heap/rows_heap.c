/* SPDX-License-Identifier: MIT */
/* The rows of the heap as a table of report alloc: see rows_heap.h. */
#include "report/heap/rows_heap.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/frame_flags.h"
#include "report/core/known.h"
#include "report/heap/heap_events.h"
#include "report/heap/stack_sums.h"
#include "report/table/curve_print.h"
#include "report/session/callers.h"

static void heap_put_counters(struct table *table, const struct heap_row *row, uint64_t all_bytes)
{
	table_set_number(table, COLUMN_alloc_allocations, row->allocations);
	table_set_number(table, COLUMN_alloc_bytes_allocated, row->bytes_allocated);
	if (all_bytes)
		table_set_real(table, COLUMN_alloc_percent,
			       100.0 * (double)row->bytes_allocated / (double)all_bytes);
	if (row->allocations)
		table_set_number(table, COLUMN_alloc_avg_bytes,
				 row->bytes_allocated / row->allocations);
	table_set_number(table, COLUMN_alloc_peak_bytes, row->peak_bytes);
	table_set_number(table, COLUMN_alloc_live_allocations, row->kept_allocations);
	table_set_number(table, COLUMN_alloc_live_bytes, row->kept_bytes);
	if (row->is_sample) {
		/* which event of the heap was a thread's next is not known of a sample */
		table_set_number(table, COLUMN_alloc_bytes_error, weight_error(row->variance));
		return;
	}
	if (row->allocations)
		table_set_real(table, COLUMN_alloc_temporary_percent,
			       100.0 * (double)row->temporary_allocations /
				       (double)row->allocations);
	table_set_number(table, COLUMN_alloc_temporary_allocations, row->temporary_allocations);
}

/* --- estimates --- */

const char *heap_error(char text[HEAP_ERROR_BYTES], const struct heap *heap, double variance)
{
	char bytes[UNIT_TEXT_BYTES];

	text[0] = 0;
	if (heap->totals.sampled)
		snprintf(text, HEAP_ERROR_BYTES, " +- %s",
			 unit_format_bytes(bytes, weight_error(variance)));
	return text;
}

void heap_print_sample(const struct heap *heap, const struct screen *screen)
{
	char blocks[UNIT_TEXT_BYTES], every[UNIT_TEXT_BYTES];

	if (heap->totals.sampled)
		screen_print_prose(screen,
				   "estimates from %s sampled block%s, one in %s "
				   "(INTERCEPT_HEAP_EVERY); +- is the standard error",
				   unit_format_count(blocks, heap->totals.sampled),
				   unit_plural(heap->totals.sampled),
				   unit_format_bytes(every, heap->totals.every));
}

void heap_sample_total(const struct heap *heap, struct facts *facts)
{
	const struct heap_totals *totals = &heap->totals;

	if (!totals->sampled)
		return;
	facts_number(facts, "sampled_allocations", UNIT_COUNT, totals->sampled);
	facts_number(facts, "heap_every", UNIT_BYTES, totals->every);
	facts_number(facts, "bytes_allocated_error", UNIT_BYTES, weight_error(totals->variance));
	facts_number(facts, "peak_bytes_error", UNIT_BYTES, weight_error(totals->peak_variance));
	facts_number(facts, "live_bytes_error", UNIT_BYTES, weight_error(totals->kept_variance));
}

void heap_show_estimates(struct report *report, struct table *table, enum column_id counted,
			 struct column *quiet)
{
	static const char name[] = "estimated_bytes";

	if (!report->request->options->sort)
		report->request->arrangement.sort = columns_find(table->column, table->column_count,
								 name, sizeof(name) - 1);
	for (size_t i = 0; i < table->column_count; i++) {
		if (table->column[i] != &column_list[counted])
			continue;
		*quiet = *table->column[i];
		quiet->priority = 1;
		table->column[i] = quiet;
	}
}

void heap_put_estimate(struct table *table, struct estimate_columns columns,
		       struct estimate_amount amount, uint64_t all_bytes)
{
	table_set_number(table, columns.allocations, estimate_whole(amount.allocations));
	table_set_number(table, columns.bytes, estimate_whole(amount.bytes));
	if (all_bytes) {
		double percent = 100.0 * (double)amount.bytes / ESTIMATE_ONE / (double)all_bytes;

		/* An estimate may exceed the known total; a share may not. */
		table_set_real(table, columns.percent, percent < 100.0 ? percent : 100.0);
	}
}

static uint64_t sampled_every(const struct heap *heap)
{
	for (size_t i = 0; i < heap->row_count; i++)
		if (heap->estimate[i].every)
			return heap->estimate[i].every;
	return 0;
}

void heap_print_sampling(const struct heap *heap, const struct report *report,
			 const struct screen *screen)
{
	const struct options *options = report->request->options;
	char every[UNIT_TEXT_BYTES];

	if (!heap->estimate)
		return;
	unit_format_bytes(every, sampled_every(heap));
	if (stack_by_of(options->by) != STACK_BY_LIMIT)
		screen_print_prose(screen,
				   "columns with ~ are estimates: one allocation in %s has its "
				   "stack (INTERCEPT_STACKS_EVERY). The figures above the table, "
				   "and --by caller, are counts",
				   every);
	else if (stack_rows_are_filtered(options))
		screen_print_prose(screen,
				   "--filter stack~NAME finds sampled allocations only, one in %s "
				   "(INTERCEPT_STACKS_EVERY)",
				   every);
}

/* A stack's figures are either an estimate or a count, never both. */
static void heap_put_sum(const struct heap *heap, struct table *table, const struct stack_sum *sum)
{
	static const struct estimate_columns columns = { COLUMN_alloc_estimated_allocations,
							 COLUMN_alloc_estimated_bytes,
							 COLUMN_alloc_estimated_percent };
	const struct heap_totals *totals = &heap->totals;

	if (!heap->estimate) {
		heap_put_counters(table, &sum->row, totals->bytes_allocated);
		return;
	}
	heap_put_estimate(table, columns, sum->estimate.all, totals->bytes_allocated);
	table_set_number(table, COLUMN_alloc_estimated_peak_bytes,
			 estimate_whole(sum->estimate.peak.bytes));
	table_set_number(table, COLUMN_alloc_estimated_live_bytes,
			 estimate_whole(sum->estimate.kept.bytes));
}

static void heap_put_key(const struct heap *heap, struct table *table, const struct heap_row *row)
{
	if (heap->by == HEAP_BY_SIZE)
		table_set_number(table, COLUMN_alloc_size, size_class_top((unsigned int)row->key));
	else
		key_put(&heap->key, row->key, table);
}

uint64_t heap_row_caller(const struct heap *heap, const struct source *source,
			 const struct heap_row *row)
{
	const struct stacks *stacks = source_stacks(source);
	uint32_t stack = (uint32_t)row->key;

	if (heap->by != HEAP_BY_STACK)
		return row->key;
	while (stacks_frame(stacks, stack)->flags & FRAME_IS_WRAPPER &&
	       stacks_frame(stacks, stack)->parent != STACK_NONE)
		stack = stacks_frame(stacks, stack)->parent;
	return stacks_frame(stacks, stack)->address;
}

/*
 * Rows of one caller are one, whatever process and mapping; the heap's own are for other tables,
 * too.
 */
struct heap_caller {
	struct heap_row row;
	const char *text;
	uint64_t most;  /* bytes of its largest stack */
	uint32_t stack; /* that stack, named */
	size_t first;   /* row of the heap */
};

struct heap_callers {
	const struct heap *heap;
	const struct source *source;
	struct source_process *const *process;
	struct heap_caller *caller; /* in the order of their first row */
	size_t count, room;
	struct map places; /* identity to place in `caller` */
	struct caller_memo memo;
};

static void callers_init(struct heap_callers *callers, const struct heap *heap,
			 const struct source *source)
{
	*callers = (struct heap_callers){ .heap = heap, .source = source };
	source_processes(source, &callers->process);
	map_init(&callers->places);
	caller_memo_init(&callers->memo);
}

static void callers_release(struct heap_callers *callers)
{
	map_release(&callers->places);
	caller_memo_release(&callers->memo);
	free(callers->caller);
}

/* A caller has many rows if the heap is by stack. */
static struct caller callers_name(struct heap_callers *callers, const struct heap_row *row,
				  struct text_store *texts)
{
	const struct source_process *process = callers->process[row->process];
	uint64_t address = heap_row_caller(callers->heap, callers->source, row);

	if (callers->heap->by == HEAP_BY_STACK)
		return caller_memo_of(&callers->memo, texts, process, address, row->last_ns);
	return caller_of(texts, process, address, row->last_ns);
}

/* Finds or adds the caller and adds the row to it. */
static struct heap_caller *callers_add(struct heap_callers *callers, const struct caller *caller,
				       size_t number)
{
	const struct heap_row *row = &callers->heap->row[number];
	bool added;
	struct map_entry *entry = map_put(&callers->places, caller->identity, &added);
	struct heap_caller *into;

	if (!added) {
		into = &callers->caller[entry->value];
		heap_row_join(&into->row, row);
		return into;
	}
	callers->caller = memory_room(callers->caller, callers->count, &callers->room,
				      sizeof(*callers->caller));
	entry->value = callers->count;
	into = &callers->caller[callers->count++];
	*into = (struct heap_caller){ .row = *row, .text = caller->text, .first = number };
	return into;
}

/* Rows that --filter leaves out are skipped. `rows` NULL: stacks were not asked for. */
static void callers_join(struct heap_callers *callers, struct text_store *texts,
			 struct stack_rows *rows)
{
	for (size_t i = 0; i < callers->heap->row_count; i++) {
		const struct heap_row *row = &callers->heap->row[i];
		const struct stack_use use = { callers->process[row->process], (uint32_t)row->key,
					       row->last_ns, row->bytes_allocated };
		struct caller caller = callers_name(callers, row, texts);
		size_t place = rows ? stack_rows_place(rows, &use) : 0;
		struct heap_caller *into;

		if (place == STACK_LEFT_OUT)
			continue;
		into = callers_add(callers, &caller, i);
		if (rows && use.weight >= into->most) {
			into->most = use.weight;
			into->stack = rows->place[place].stack;
		}
	}
}

/* `rows` NULL: stacks were not asked for. */
static void heap_fill_callers(struct heap *heap, struct source *source, struct table *table,
			      struct late_callers *late, struct stack_rows *rows)
{
	struct heap_callers callers;

	callers_init(&callers, heap, source);
	callers_join(&callers, &table->texts, rows);
	for (size_t i = 0; i < callers.count; i++) {
		const struct heap_caller *caller = &callers.caller[i];
		const struct heap_row *first = &heap->row[caller->first];
		const struct deferred_call call = { callers.process[first->process],
						    heap_row_caller(heap, source, first),
						    first->last_ns };
		size_t number = table_add_row(table);

		if (late)
			late_callers_add(late, number, &call);
		if (rows)
			stack_rows_note(rows, number, caller->stack);
		table_set_text(table, COLUMN_alloc_caller, caller->text, strlen(caller->text));
		heap_put_counters(table, &caller->row, heap->totals.bytes_allocated);
		table_settle_row(table);
	}
	callers_release(&callers);
}

void heap_fill_stacks(struct heap *heap, struct source *source, struct table *table,
		      struct stack_rows *rows)
{
	struct stack_sums sums = { .count = 0 };

	stack_sums_estimate(&sums, heap);
	stack_sums_make(&sums, heap, source, rows, WEIGHT_BYTES);
	for (size_t i = 0; i < sums.count; i++) {
		struct stack_sum sum = stack_sums_get(&sums, i);

		table_add_row(table);
		stack_rows_put(rows, table, i);
		heap_put_sum(heap, table, &sum);
		table_settle_row(table);
	}
	stack_sums_release(&sums);
}

void heap_fill_table(struct heap *heap, struct source *source, struct table *table)
{
	if (heap->by == HEAP_BY_CALLER || heap->by == HEAP_BY_STACK) {
		heap_fill_callers(heap, source, table, NULL, NULL);
		return;
	}
	for (size_t i = 0; i < heap->row_count; i++) {
		table_add_row(table);
		heap_put_key(heap, table, &heap->row[i]);
		heap_put_counters(table, &heap->row[i], heap->totals.bytes_allocated);
	}
}

void heap_fill_named_table(struct heap *heap, struct source *source, struct table *table,
			   struct late_callers *callers, struct heap_names names)
{
	static const enum column_id columns[LATE_CALLER_COLUMNS] = {
		[LATE_FUNCTION] = COLUMN_alloc_function,
		[LATE_LINE] = COLUMN_alloc_line,
		[LATE_MODULE] = COLUMN_alloc_module,
		[LATE_CALLER] = COLUMN_alloc_caller,
	};

	late_callers_init(callers, source, names.form, columns);
	callers->symbols.is_off = names.is_off;
	callers->for_people = names.for_people;
	callers->is_brief = names.is_brief;
	heap_fill_callers(heap, source, table, callers, names.stacks);
	late_callers_attach(callers, table);
}

void heap_print_curve(const struct heap *heap, const struct run *run, const struct screen *screen,
		      size_t width)
{
	struct curve_extent extent = { heap->totals.peak_bytes, known_until_ns(run), known_within,
				       run };

	curve_print(&heap->curve, extent, screen, width);
}

const char *heap_still_live(const struct heap *heap, const struct run *run,
			    struct coverage_text *ret_text)
{
	const char *text = coverage_still_live(run, ret_text);

	return heap->has_ends && !strcmp(text, "never freed") ? "at its end" : text;
}

const char *heap_explain(const struct report *report, struct why_empty *absence)
{
	return why_empty_explain(report->run,
				 heap_family(heap_of_options(report->request->options)), absence);
}
