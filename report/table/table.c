/* SPDX-License-Identifier: MIT */
/*
 * Rows of typed cells, filtered, sorted and limited. Sorting uses an array of row numbers; cells do
 * not move.
 */
#include "report/table/table.h"

#include <stdlib.h>
#include <string.h>

#include "report/table/row_filter.h"

#define BEST_MAX 4096u  /* if more rows are to be shown, all are kept */
#define PART_ROWS 2048u /* pending rows that are in memory at once */

void table_init(struct table *table, const char *report, const char *const *left_out)
{
	const struct column *all[COLUMNS_MAX];
	size_t count = columns_of(report, all);

	*table = (struct table){ .is_tree = false };
	for (size_t i = 0; i < count; i++) {
		bool wanted = true;

		for (const char *const *name = left_out; name && *name; name++)
			wanted = wanted && strcmp(*name, all[i]->name) != 0;
		if (!wanted)
			continue;
		table->place[all[i] - column_list] = (uint8_t)table->column_count;
		table->column[table->column_count++] = all[i];
	}
}

void table_release(struct table *table)
{
	free(table->cell);
	free(table->parent);
	free(table->order);
	free(table->made);
	free(table->best);
	text_store_release(&table->texts);
}

size_t table_add_row(struct table *table)
{
	size_t row = table->row_count;

	table->cell = memory_room(table->cell, row, &table->row_room,
				  table->column_count * sizeof(struct cell));
	memset(&table->cell[row * table->column_count], 0,
	       table->column_count * sizeof(struct cell));
	if (table->is_tree) {
		table->parent = memory_room(table->parent, row, &table->parent_room,
					    sizeof(*table->parent));
		table->parent[row] = TABLE_NO_PARENT;
	}
	table->row_count++;
	return row;
}

/* Returns the cell of a row, NULL if the table leaves the column out. */
static struct cell *table_find_cell(struct table *table, size_t row, enum column_id column)
{
	size_t guess = table->place[column];

	if (guess < table->column_count && table->column[guess] == &column_list[column])
		return &table->cell[row * table->column_count + guess];
	for (size_t i = 0; i < table->column_count; i++)
		if (table->column[i] == &column_list[column])
			return &table->cell[row * table->column_count + i];
	return NULL;
}

static struct cell *table_last_cell(struct table *table, enum column_id column)
{
	return table_find_cell(table, table->row_count - 1, column);
}

void table_fill_text(struct table *table, size_t row, enum column_id column, const char *text,
		     size_t length)
{
	struct cell *cell = table_find_cell(table, row, column);

	if (cell)
		*cell = (struct cell){ .text = text,
				       .length = (uint32_t)length,
				       .kind = CELL_TEXT };
}

void table_set_number(struct table *table, enum column_id column, uint64_t value)
{
	struct cell *cell = table_last_cell(table, column);

	if (cell)
		*cell = (struct cell){ .number = value, .kind = CELL_NUMBER };
}

void table_set_amount(struct table *table, enum column_id column, uint64_t value, enum unit unit)
{
	struct cell *cell = table_last_cell(table, column);

	if (cell)
		*cell = (struct cell){ .number = value,
				       .length = 1 + (uint32_t)unit,
				       .kind = CELL_NUMBER };
}

void table_set_signed(struct table *table, enum column_id column, int64_t value)
{
	struct cell *cell = table_last_cell(table, column);

	if (cell)
		*cell = (struct cell){ .number = (uint64_t)value, .kind = CELL_SIGNED };
}

void table_set_signed_amount(struct table *table, enum column_id column, int64_t value,
			     enum unit unit)
{
	struct cell *cell = table_last_cell(table, column);

	if (cell)
		*cell = (struct cell){ .number = (uint64_t)value,
				       .length = 1 + (uint32_t)unit,
				       .kind = CELL_SIGNED };
}

void table_set_real(struct table *table, enum column_id column, double value)
{
	struct cell *cell = table_last_cell(table, column);

	if (cell)
		*cell = (struct cell){ .real = value, .kind = CELL_REAL };
}

void table_set_text(struct table *table, enum column_id column, const char *text, size_t length)
{
	struct cell *cell = table_last_cell(table, column);

	if (cell)
		*cell = (struct cell){ .text = text,
				       .length = (uint32_t)length,
				       .kind = CELL_TEXT };
}

static int cell_compare(const struct cell *a, const struct cell *b)
{
	size_t shorter = a->length < b->length ? a->length : b->length;
	int order;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	switch (a->kind) {
	case CELL_NUMBER:
		return (a->number > b->number) - (a->number < b->number);
	case CELL_SIGNED:
		return ((int64_t)a->number > (int64_t)b->number) -
		       ((int64_t)a->number < (int64_t)b->number);
	case CELL_REAL:
		return (a->real > b->real) - (a->real < b->real);
	case CELL_TEXT:
		order = memcmp(a->text, b->text, shorter);
		return order ? order : (a->length > b->length) - (a->length < b->length);
	default:
		return 0;
	}
}

struct sort_context {
	const struct table *table;
	const struct arrangement *arrangement;
};

/*
 * Compares by the key; ties by the first text column, then in the order of adding, so that the
 * output does not depend on qsort.
 */
static int table_row_compare(const void *left, const void *right, void *context)
{
	const struct sort_context *sort = context;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const struct table *table = sort->table;
	size_t key = (size_t)sort->arrangement->sort;
	int order = cell_compare(table_cell(table, a, key), table_cell(table, b, key));

	if (order)
		return sort->arrangement->descending ? -order : order;
	if (sort->arrangement->then)
		order = cell_compare(table_cell(table, b, sort->arrangement->then - 1),
				     table_cell(table, a, sort->arrangement->then - 1));
	if (order)
		return order;
	for (size_t i = 0; i < table->column_count; i++) {
		if (table->column[i]->priority == 0 && i != key) {
			order = cell_compare(table_cell(table, a, i), table_cell(table, b, i));
			break;
		}
	}
	return order ? order : (a > b) - (a < b);
}

static void swap_rows(size_t *a, size_t *b)
{
	size_t kept = *a;

	*a = *b;
	*b = kept;
}

/* For a heap whose top is the last in order: moves its row `at` down to its place. */
static void table_heap_sink(size_t *row, size_t count, size_t at, struct sort_context *context)
{
	for (;;) {
		size_t last = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
			if (table_row_compare(&row[child], &row[last], context) > 0)
				last = child;
		if (last == at)
			return;
		swap_rows(&row[at], &row[last]);
		at = last;
	}
}

static bool rows_are_sorted(const size_t *row, size_t count, struct sort_context *context)
{
	for (size_t i = 1; i < count; i++)
		if (table_row_compare(&row[i - 1], &row[i], context) > 0)
			return false;
	return true;
}

/*
 * Sorts. If there are many rows and few are shown, only those are in order at the front, and the
 * others in no order.
 */
static void rows_sort(size_t *row, size_t count, size_t wanted, struct sort_context *context)
{
	if (wanted && wanted < count / 4) {
		for (size_t i = wanted / 2; i-- > 0;)
			table_heap_sink(row, wanted, i, context);
		for (size_t i = wanted; i < count; i++) {
			if (table_row_compare(&row[i], &row[0], context) >= 0)
				continue;
			swap_rows(&row[i], &row[0]);
			table_heap_sink(row, wanted, 0, context);
		}
		count = wanted;
	}
	if (!rows_are_sorted(row, count, context))
		qsort_r(row, count, sizeof(*row), table_row_compare, context);
}

static bool is_late(const struct table *table, size_t column)
{
	for (size_t i = 0; i < table->late.column_count; i++)
		if (table->column[column] == &column_list[table->late.column[i]])
			return true;
	return false;
}

static bool depends_on_late(const struct table *table, const struct arrangement *arrangement)
{
	if (arrangement->sort >= 0 && is_late(table, (size_t)arrangement->sort))
		return true;
	for (size_t i = 0; i < arrangement->row_filter_count; i++)
		if (is_late(table, arrangement->condition[i].column))
			return true;
	return false;
}

/* --- rows that cannot be shown --- */

static bool cell_is_filled(const struct cell *cell)
{
	return cell->kind != CELL_NONE && (cell->kind != CELL_TEXT || cell->length);
}

static bool cell_tells(const struct cell *cell, const struct cell *first)
{
	if (cell->kind == CELL_TEXT)
		return cell->kind != first->kind || cell->length != first->length ||
		       memcmp(cell->text, first->text, cell->length) != 0;
	return cell->kind != CELL_NONE && cell->number != 0;
}

static bool table_can_drop(const struct table *table)
{
	const struct arrangement *plan = table->plan;

	return plan && plan->limit && plan->limit <= BEST_MAX && plan->sort >= 0 &&
	       !plan->row_filter_count && !table->is_tree && !table->pinned &&
	       !depends_on_late(table, plan);
}

static void table_drop_row(struct table *table)
{
	size_t row = --table->row_count;

	table->dropped++;
	for (size_t i = 0; i < table->column_count; i++) {
		const struct cell *cell = table_cell(table, row, i);

		if (cell->kind == CELL_NONE)
			continue;
		if (!table->of_dropped[i].is_filled)
			table->of_dropped[i].is_filled = cell_is_filled(cell);
		if (!table->of_dropped[i].is_telling)
			table->of_dropped[i].is_telling = cell_tells(cell, table_cell(table, 0, i));
	}
}

void table_settle_row(struct table *table)
{
	struct sort_context context = { table, table->plan };
	size_t row = table->row_count - 1, limit;

	if (!table_can_drop(table))
		return;
	limit = table->plan->limit;
	if (!table->best)
		table->best = memory_zero(limit, sizeof(*table->best));
	if (table->best_count < limit) {
		table->best[table->best_count++] = row;
		for (size_t i = limit / 2; table->best_count == limit && i-- > 0;)
			table_heap_sink(table->best, limit, i, &context);
		return;
	}
	if (table_row_compare(&row, &table->best[0], &context) > 0) {
		table_drop_row(table);
		return;
	}
	table->best[0] = row;
	table_heap_sink(table->best, limit, 0, &context);
}

bool table_is_by_row(const struct table *table, size_t column)
{
	return table->late.is_by_row && is_late(table, column);
}

/* Filling a cell late changes nothing that a reader of the table could notice. */
void table_make_row(const struct table *table, size_t row)
{
	struct table *made = (struct table *)table;

	if (!made->late.is_by_row || made->late.row == row)
		return;
	for (size_t i = 0; made->late.row < made->row_count && i < made->late.column_count; i++) {
		struct cell *cell = table_find_cell(made, made->late.row, made->late.column[i]);

		if (cell)
			*cell = (struct cell){ .kind = CELL_NONE };
	}
	made->late.row = row;
	made->late.make(made->late.state, made, row);
}

static bool row_is_filled(const struct table *table, size_t row, size_t column)
{
	if (table_is_by_row(table, column))
		table_make_row(table, row);
	return cell_is_filled(table_cell(table, row, column));
}

bool table_column_is_filled(const struct table *table, size_t column)
{
	bool is_filled = table->of_dropped[column].is_filled;

	for (size_t row = 0; row < table->row_count && !is_filled; row++)
		is_filled = row_is_filled(table, row, column);
	return is_filled;
}

bool table_column_tells(const struct table *table, size_t column)
{
	bool tells = table->of_dropped[column].is_telling;

	if (table_is_by_row(table, column)) /* more than LATE_ROWS_MAX rows */
		return table_column_is_filled(table, column);
	for (size_t row = 0; row < table->row_count && !tells; row++)
		tells = cell_tells(table_cell(table, row, column), table_cell(table, 0, column));
	return tells;
}

/* --- order --- */

static bool *table_choose(const struct table *table, const struct arrangement *arrangement)
{
	bool *keep = memory_zero(table->row_count, sizeof(*keep));

	for (size_t row = table->row_count; row-- > 0;) {
		keep[row] = keep[row] || row < table->pinned ||
			    conditions_hold(arrangement->condition, arrangement->row_filter_count,
					    &table->cell[row * table->column_count]);
		if (keep[row] && table->is_tree && table->parent[row] != TABLE_NO_PARENT)
			keep[table->parent[row]] = true;
	}
	return keep;
}

/*
 * Depth-first order of rows, sorted among their siblings. Lists: first child of each row (and of
 * the top, at row_count), next sibling; built from the last row so that they are in order.
 */
static void table_nest(struct table *table)
{
	size_t count = table->passed, all = table->row_count, depth = 0, placed = 0;
	size_t *first = memory_zero(all + 1, sizeof(*first)),
	       *next = memory_zero(all + 1, sizeof(*next));
	size_t *stack = memory_zero(all + 1, sizeof(*stack));

	for (size_t i = 0; i <= all; i++)
		first[i] = next[i] = SIZE_MAX;
	for (size_t i = count; i-- > 0;) {
		size_t row = table->order[i];
		size_t parent = table->parent[row] == TABLE_NO_PARENT ? all : table->parent[row];

		next[row] = first[parent];
		first[parent] = row;
	}
	for (size_t row = first[all]; row != SIZE_MAX || depth;) {
		if (row == SIZE_MAX) {
			row = next[stack[--depth]];
			continue;
		}
		table->order[placed++] = row;
		stack[depth++] = row;
		row = first[row];
	}
	free(first);
	free(next);
	free(stack);
}

static void make_late(struct table *table, size_t row)
{
	if (!table->made)
		table->made = memory_zero(table->row_count, sizeof(*table->made));
	if (table->made[row])
		return;
	table->made[row] = true;
	table->late.make(table->late.state, table, row);
}

static void rows_order(struct table *table, const struct arrangement *arrangement)
{
	struct sort_context context = { table, arrangement };
	bool *keep;

	for (size_t row = 0;
	     table->late.make && depends_on_late(table, arrangement) && row < table->row_count;
	     row++)
		make_late(table, row);
	keep = table_choose(table, arrangement);

	free(table->order);
	table->order = memory_zero(table->row_count, sizeof(*table->order));
	table->passed = 0;
	for (size_t row = 0; row < table->row_count; row++)
		if (keep[row])
			table->order[table->passed++] = row;
	free(keep);
	if (arrangement->sort >= 0)
		rows_sort(table->order + table->pinned, table->passed - table->pinned,
			  table->is_tree ? 0 : arrangement->limit, &context);
	if (table->is_tree)
		table_nest(table);
	table->passed += table->dropped;
	table->shown = table->passed;
	if (arrangement->limit && table->shown > arrangement->limit + table->pinned)
		table->shown = arrangement->limit + table->pinned;
	table->late.is_by_row = table->late.make && arrangement->writes_by_row &&
				table->shown > LATE_ROWS_MAX &&
				!depends_on_late(table, arrangement);
	table->late.row = SIZE_MAX;
	for (size_t i = 0; table->late.make && !table->late.is_by_row && i < table->shown; i++)
		make_late(table, table->order[i]);
}

/* --- pending rows --- */

static void make_pending(struct table *table)
{
	const struct table_pending pending = table->pending;

	table->pending.next = NULL;
	for (;;) {
		struct text_mark mark = text_store_mark(&table->texts);
		size_t dropped = table->dropped;

		if (!pending.next(pending.state, table))
			return;
		table_settle_row(table);
		if (table->dropped != dropped)
			text_store_rewind(&table->texts, mark);
	}
}

void table_arrange(struct table *table, const struct arrangement *arrangement)
{
	if (table->pending.next)
		make_pending(table);
	rows_order(table, arrangement);
}

/*
 * If only the first of many rows are shown, the others must still be counted, so such tables are
 * not streamed.
 */
bool table_can_stream(const struct table *table, const struct arrangement *arrangement)
{
	return table->pending.next && arrangement->sort >= 0 && !arrangement->descending &&
	       !arrangement->limit && !arrangement->then &&
	       table->column[arrangement->sort] == &column_list[table->pending.order];
}

/* A part ends where the order of the following rows is certain. */
bool table_next_part(struct table *table, const struct arrangement *arrangement)
{
	const struct table_pending *pending = &table->pending;

	table->row_count = 0;
	text_store_release(&table->texts);
	free(table->made);
	table->made = NULL;
	while ((table->row_count < PART_ROWS || (pending->ties && pending->ties(pending->state))) &&
	       pending->next(pending->state, table))
		;
	rows_order(table, arrangement);
	return table->row_count > 0;
}
