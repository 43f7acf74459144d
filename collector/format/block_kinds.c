/* SPDX-License-Identifier: MIT */
/*
 * Kinds are first turned into classes of one byte, so that sixteen records are examined at once.
 * The top bits of a class say whether anything of the record is read, and in which unit its time
 * is.
 */
#include "collector/format/block_kinds.h"

#include "collector/arch/lanes.h"
#include "collector/format/error.h"
#include "collector/format/kinds_wide.h"

#define STRIDE KINDS_STRIDE
/* counters are used in turn, because adding to the same word twice in a row is slow */
#define TABLES 4u

static uint8_t class_of_event(const struct event_plan *plan, uint32_t number)
{
	return (uint8_t)(number | (plan->shape > PLAN_PASS ? CLASS_READ : 0) |
			 (plan->is_heap ? CLASS_UNITS : 0));
}

void kinds_plan(struct decoder *d)
{
	uint8_t class_of_id[EVT_ID_LIMIT] = { 0 };

	d->class_count = 1; /* class 0 stands for no kind */
	for (uint32_t i = 0; i < d->kind_count; i++) {
		uint16_t id = d->kind[i].id;
		const struct event_plan *plan = &d->plan[id];

		if (!class_of_id[id] && d->class_count < CLASS_MANY)
			d->class_id[d->class_count] = id;
		if (!class_of_id[id])
			class_of_id[id] = (uint8_t)(d->class_count < CLASS_MANY ? d->class_count++
										: CLASS_MANY);
		d->class_of[i] = class_of_event(plan, class_of_id[id]);
	}
}

/* --- how many records of each event --- */

/* For a frame with more events than classes can distinguish. */
static void count_each(struct decoder *d)
{
	for (uint32_t i = 0; i < d->count; i++)
		d->records_of[d->kind[d->numbers.value[i]].id]++;
}

static void count_classes(struct decoder *d, uint32_t (*table)[UINT8_MAX + 1])
{
	for (uint32_t number = 1; number < d->class_count; number++) {
		uint16_t id = d->class_id[number];
		uint8_t class = class_of_event(&d->plan[id], number);

		for (uint32_t i = 0; i < TABLES; i++)
			d->records_of[id] += table[i][class];
	}
}

/* --- which records are read --- */

/* All records of a group are read, and all or none have a time in units: `step` is 1 or 0. */
static inline void list_all(struct decoder *d, uint32_t from, uint32_t heap, uint32_t step)
{
	uint16_t *visited = &d->visited[d->visited_count];
	uint16_t *visited_heap = &d->visited_heap[d->visited_count];

	for (uint32_t i = 0; i < STRIDE; i++) {
		visited[i] = (uint16_t)(from + i);
		visited_heap[i] = (uint16_t)(heap + (i + 1) * step);
	}
	d->visited_count += STRIDE;
}

/* Bit i of `read`: something of record from + i is read. Bit i of `units`: its time is in units. */
static inline void list_some(struct decoder *d, uint32_t from, uint32_t heap, uint32_t read,
			     uint32_t units)
{
	uint32_t at = d->visited_count;

	for (; read; read &= read - 1) {
		uint32_t bit = (uint32_t)__builtin_ctz(read);

		d->visited[at] = (uint16_t)(from + bit);
		d->visited_heap[at++] = (uint16_t)(heap + (uint32_t)__builtin_popcount(
								  units & ((2u << bit) - 1)));
	}
	d->visited_count = at;
}

static inline __attribute__((always_inline)) void list_visits(struct decoder *d)
{
	/* files of version 1 have all times in one column, in ns */
	uint32_t has_units = d->column[COLUMN_HEAP_TIME].at ? UINT16_MAX : 0, heap = 0;
	const uint32_t all = UINT16_MAX;

	d->visited_count = 0;
	for (uint32_t from = 0; from < d->count; from += STRIDE) {
		arch_lanes class = arch_lanes_load_aligned(&d->class[from]);
		uint32_t read = arch_lanes_tops(class);
		uint32_t units = arch_lanes_seconds(class) & has_units;

		if (read == all && (units == all || !units))
			list_all(d, from, heap, units & 1);
		else if (read)
			list_some(d, from, heap, read, units);
		heap += (uint32_t)__builtin_popcount(units);
	}
	d->heap_records = heap;
}

ARCH_LANES static void list_visits_quickly(struct decoder *d)
{
	list_visits(d);
}

/* --- a block --- */

/* `table` may be NULL. */
static inline void fill_class(struct decoder *d, uint32_t (*table)[UINT8_MAX + 1],
			      const uint16_t *number, uint32_t i)
{
	uint8_t class = d->class_of[number[i]];

	d->class[i] = class;
	if (table)
		table[i % TABLES][class]++;
}

/*
 * Bytes after the last record belong to no class. Returns the number of bytes then, a multiple of
 * KINDS_STRIDE_WIDE.
 */
static inline __attribute__((always_inline)) uint32_t fill_classes(struct decoder *d,
								   uint32_t (*table)[UINT8_MAX + 1])
{
	const uint16_t *number = d->numbers.value;
	uint32_t count = d->count, whole = count / STRIDE * STRIDE, i = 0;

	for (; i < whole; i += STRIDE) {
#pragma GCC unroll 16
		for (uint32_t at = i; at < i + STRIDE; at++)
			fill_class(d, table, number, at);
	}
	for (; i < count; i++)
		fill_class(d, table, number, i);
	while (i % KINDS_STRIDE_WIDE)
		d->class[i++] = CLASS_NOTHING;
	return i;
}

/* Each record adds to a counter: fast if registers are narrow. */
static int list_narrow(struct decoder *d)
{
	uint32_t table[TABLES][UINT8_MAX + 1] = { { 0 } };

	fill_classes(d, table);
	for (uint32_t i = 0; i < TABLES; i++)
		if (table[i][CLASS_NOTHING])
			return EVT_CORRUPT;
	if (d->class_count == CLASS_MANY)
		count_each(d);
	else
		count_classes(d, table);
	if (d->lanes.usable)
		list_visits_quickly(d);
	else
		list_visits(d);
	return 0;
}

/* Compares all records with each class, until all are found. */
static int list_wide(struct decoder *d)
{
	uint32_t padded = fill_classes(d, NULL), left = d->count;

	if (kinds_wide_count(d->class, padded, CLASS_NOTHING) > padded - d->count)
		return EVT_CORRUPT;
	if (d->class_count == CLASS_MANY)
		count_each(d);
	for (uint32_t number = 1; left && d->class_count < CLASS_MANY; number++) {
		uint16_t id = d->class_id[number];
		uint8_t class = class_of_event(&d->plan[id], number);

		d->records_of[id] = kinds_wide_count(d->class, padded, class);
		left -= d->records_of[id];
	}
	kinds_wide_list(d, d->column[COLUMN_HEAP_TIME].at != NULL);
	return 0;
}

int kinds_list(struct decoder *d)
{
	memset(d->records_of, 0, sizeof(d->records_of));
	return d->has_wide_kinds ? list_wide(d) : list_narrow(d);
}
