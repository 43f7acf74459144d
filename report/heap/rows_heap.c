/* SPDX-License-Identifier: MIT */
/* The rows of the heap as a table of report alloc: see rows_heap.h. */
#include "report/heap/rows_heap.h"

#include <stdlib.h>
#include <string.h>

#include "report/core/keys.h"
#include "report/table/curve_print.h"
#include "report/session/callers.h"

static void heap_put_counters(struct table *table, const struct heap_row *row, uint64_t all_bytes)
{
	table_set_number(table, COLUMN_alloc_allocations, row->allocations);
	table_set_number(table, COLUMN_alloc_bytes_allocated, row->bytes_allocated);
	if (all_bytes)
		table_set_real(table, COLUMN_alloc_percent,
			       100.0 * (double)row->bytes_allocated / (double)all_bytes);
	if (row->allocations) {
		table_set_number(table, COLUMN_alloc_avg_bytes,
				 row->bytes_allocated / row->allocations);
		table_set_real(table, COLUMN_alloc_temporary_percent,
			       100.0 * (double)row->temporary_allocations /
				       (double)row->allocations);
	}
	table_set_number(table, COLUMN_alloc_peak_bytes, row->peak_bytes);
	table_set_number(table, COLUMN_alloc_live_allocations, row->kept_allocations);
	table_set_number(table, COLUMN_alloc_live_bytes, row->kept_bytes);
	table_set_number(table, COLUMN_alloc_temporary_allocations, row->temporary_allocations);
}

static void heap_put_key(const struct heap *heap, struct table *table, const struct heap_row *row)
{
	if (heap->by == HEAP_BY_SIZE)
		table_set_number(table, COLUMN_alloc_size, size_class_top((unsigned int)row->key));
	else
		key_put(&heap->key, row->key, table);
}

static void heap_row_join(struct heap_row *into, const struct heap_row *from)
{
	into->allocations += from->allocations;
	into->bytes_allocated += from->bytes_allocated;
	into->kept_allocations += from->kept_allocations;
	into->kept_bytes += from->kept_bytes;
	into->temporary_allocations += from->temporary_allocations;
	into->peak_bytes += from->peak_bytes;
}

/* What rows become one by, and its text. */
static struct caller caller_by(struct late_callers *callers, struct table *table, enum key_id by,
			       const struct late_call *call)
{
	struct caller caller = caller_of(&table->texts, call->process, call->address,
					 call->time_ns);

	if (by == BY_alloc_caller)
		return caller;
	caller.text = late_callers_group(callers, call,
					 by == BY_alloc_function ? LATE_FUNCTION
					 : by == BY_alloc_line   ? LATE_LINE
								 : LATE_MODULE,
					 caller.text);
	caller.identity = map_hash_bytes(caller.text, strlen(caller.text), 0);
	return caller;
}

static enum column_id column_of(enum key_id by)
{
	switch (by) {
	case BY_alloc_function:
		return COLUMN_alloc_function;
	case BY_alloc_line:
		return COLUMN_alloc_line;
	case BY_alloc_module:
		return COLUMN_alloc_module;
	default:
		return COLUMN_alloc_caller;
	}
}

/* Rows of one place in the code, whatever process and mapping, become the first of them. */
static void heap_fill_callers(struct heap *heap, struct source *source, struct table *table,
			      struct late_callers *callers, enum key_id by)
{
	const char **text = memory_zero(heap->row_count, sizeof(*text));
	struct source_process *const *processes;
	struct map places;

	source_processes(source, &processes);
	map_init(&places);
	for (size_t i = 0; i < heap->row_count; i++) {
		struct heap_row *row = &heap->row[i];
		struct late_call call = { processes[row->process], row->key, row->last_ns };
		struct caller caller = caller_by(callers, table, by, &call);
		struct map_entry *place;
		bool added;

		place = map_put(&places, caller.identity, &added);
		if (!added) {
			heap_row_join(&heap->row[place->value], row);
			continue;
		}
		place->value = i;
		text[i] = caller.text;
	}
	for (size_t i = 0; i < heap->row_count; i++) {
		const struct heap_row *row = &heap->row[i];
		size_t number;

		if (!text[i])
			continue;
		number = table_add_row(table);
		if (callers && by == BY_alloc_caller)
			late_callers_add(callers, number,
					 &(struct late_call){ processes[row->process], row->key,
							      row->last_ns });
		table_set_text(table, column_of(by), text[i], strlen(text[i]));
		heap_put_counters(table, row, heap->totals.bytes_allocated);
	}
	map_release(&places);
	free(text);
}

void heap_fill_table(struct heap *heap, struct source *source, struct table *table)
{
	if (heap->by == HEAP_BY_CALLER) {
		heap_fill_callers(heap, source, table, NULL, BY_alloc_caller);
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

	late_callers_init(callers, names.form, columns);
	callers->symbols.is_off = names.is_off;
	callers->for_people = names.for_people;
	callers->is_brief = names.is_brief;
	heap_fill_callers(heap, source, table, callers, names.by);
	if (names.by == BY_alloc_caller)
		late_callers_attach(callers, table);
}

void heap_print_curve(const struct heap *heap, const struct source *source,
		      const struct screen *screen, size_t width)
{
	struct curve_extent extent = { heap->totals.peak_bytes, source_end_ns(source) };

	curve_print(&heap->curve, extent, screen, width);
}

const char *heap_still_live(const struct heap *heap, const struct run *run,
			    struct scope_text *ret_text)
{
	const char *text = scope_still_live(run, ret_text);

	return heap->has_ends && !strcmp(text, "never freed") ? "at its end" : text;
}
