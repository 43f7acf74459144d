/* SPDX-License-Identifier: MIT */
/*
 * The innermost function of each counted stack gets `self`. Then the stack is walked outwards and
 * each function gets `total`, once for each stack: `last` has the number of the stack that was
 * added last.
 */
#include "report/native/native_rows.h"

#include <stdlib.h>

void native_rows_init(struct native_rows *rows, struct source *source,
		      const struct options *options, enum stack_by by, struct stack_columns columns)
{
	*rows = (struct native_rows){ .room = 0 };
	stack_rows_init(&rows->rows, source, options, by, columns);
	rows->rows.names.of_samples = true;
}

static struct native_place *place_at(struct native_rows *rows, size_t number)
{
	rows->place = memory_room(rows->place, number, &rows->room, sizeof(*rows->place));
	return &rows->place[number];
}

/*
 * The part of a stack from any frame outwards is a stack itself, whose innermost function is a
 * caller.
 */
static void take_callers(struct native_rows *rows, uint32_t stack, size_t number,
			 const struct native_counts *counts)
{
	for (; stack != NAMED_NONE; stack = named_parent(&rows->rows.names, stack)) {
		const struct stack_use use = { .stack = stack };
		struct native_place *place = place_at(rows, stack_rows_place(&rows->rows, &use));

		if (place->last == number + 1)
			continue;
		place->last = number + 1;
		native_counts_add(&place->total, counts);
	}
}

static void take_row(struct native_rows *rows, const struct native_reading *reading, size_t number)
{
	const struct native_row *row = &reading->row[number];
	size_t parts = rows->rows.parts, place;
	struct stack_use use;

	if (!row->key) {
		native_counts_add(&rows->none, &row->counts);
		return;
	}
	use = *stack_keys_use(reading->stack_keys, row->key);
	use.stack = named_stack_of(&rows->rows.names, use.process, use.stack, use.time_ns);
	use.process = NULL;
	use.weight = row->counts.cpu_ns;
	place = stack_rows_place(&rows->rows, &use);
	if (place == STACK_LEFT_OUT)
		return;
	native_counts_add(&place_at(rows, place)->self, &row->counts);
	if (rows->rows.by == STACK_BY_STACK)
		return;
	rows->rows.parts = 0; /* --filter stack~PART matches whole stacks */
	take_callers(rows, use.stack, number, &row->counts);
	rows->rows.parts = parts;
}

void native_rows_make(struct native_rows *rows, const struct native_reading *reading)
{
	for (size_t i = 0; i < reading->row_count; i++)
		take_row(rows, reading, i);
}

void native_rows_release(struct native_rows *rows)
{
	stack_rows_release(&rows->rows);
	free(rows->place);
}
