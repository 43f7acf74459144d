/* SPDX-License-Identifier: MIT */
/*
 * Columns about callers, filled for the rows that are shown. Callers that would read the same get
 * their addresses, too.
 */
#include "report/symbols/late_callers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void late_callers_init(struct late_callers *callers, const struct source *source,
		       enum symbol_form form, const enum column_id column[LATE_CALLER_COLUMNS])
{
	*callers = (struct late_callers){ .call = NULL };
	symbols_init(&callers->symbols, source, form);
	memcpy(callers->column, column, sizeof(callers->column));
	map_init(&callers->said);
}

void late_callers_release(struct late_callers *callers)
{
	symbols_release(&callers->symbols);
	free(callers->call);
	map_release(&callers->said);
}

void late_callers_add(struct late_callers *callers, size_t row, const struct deferred_call *call)
{
	callers->call = memory_room(callers->call, row, &callers->room, sizeof(*callers->call));
	callers->call[row] = *call;
}

static void late_callers_put(struct late_callers *callers, struct table *table, size_t row,
			     enum late_caller_column column, const char *text)
{
	if (text)
		table_fill_text(table, row, callers->column[column], text, strlen(text));
}

static const struct symbol *symbol_of(struct late_callers *callers,
				      const struct deferred_call *call)
{
	return symbols_of_call(&callers->symbols, call->process, call->address, call->time_ns);
}

static void put_address(struct late_callers *callers, struct table *table, size_t row,
			const char *text)
{
	const struct symbol *symbol = symbol_of(callers, &callers->call[row]);

	late_callers_put(
		callers, table, row, LATE_CALLER,
		text_store_format(&table->texts, "%s at +0x%" PRIx64, text, symbol->address));
}

/*
 * Two calls on one line, for example where a function is inlined twice, are two rows, so they show
 * their addresses, too.
 */
static void late_callers_put_caller(struct late_callers *callers, struct table *table, size_t row,
				    const struct symbol *symbol)
{
	const char *text = symbols_text(&callers->symbols, symbol);
	struct map_entry *first;
	bool is_first;

	late_callers_put(callers, table, row, LATE_CALLER, text);
	if (!text)
		return;
	first = map_put(&callers->said, symbols_hash(text), &is_first);
	if (is_first)
		first->value = row + 1;
	if (first->value == row + 1)
		return;
	if (first->value && !table->late.is_by_row)
		put_address(callers, table, first->value - 1, text);
	if (!table->late.is_by_row)
		first->value = 0;
	put_address(callers, table, row, text);
}

static void late_callers_make(void *state, struct table *table, size_t row)
{
	struct late_callers *callers = state;
	const struct deferred_call *call = row < callers->room ? &callers->call[row] : NULL;
	const struct symbol *symbol;

	if (!call || !call->process)
		return;
	symbol = symbol_of(callers, call);
	late_callers_put(callers, table, row, LATE_MODULE, symbol->module);
	if (!callers->is_brief)
		late_callers_put(callers, table, row, LATE_FUNCTION, symbol->function);
	if (!callers->is_brief && symbol->file && symbol->line)
		late_callers_put(callers, table, row, LATE_LINE,
				 text_store_format(&table->texts, "%s:%" PRIu32, symbol->file,
						   symbol->line));
	if (callers->for_people)
		late_callers_put_caller(callers, table, row, symbol);
}

void late_callers_attach(struct late_callers *callers, struct table *table)
{
	table->late = (struct table_late){ .make = late_callers_make,
					   .state = callers,
					   .column = callers->column,
					   .column_count = LATE_CALLER };
}
