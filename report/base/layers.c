/* SPDX-License-Identifier: MIT */
/*
 * What a sum consists of over time. A heap of the largest rows is built at each moment of the grid.
 */
#include "report/base/layers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define WIDTH_FIRST_NS 65536u
#define TIME_MAX_NS (UINT64_MAX / 4) /* no writer can have written a later time */

void layers_init(struct layers *layers)
{
	*layers = (struct layers){ .width_ns = WIDTH_FIRST_NS, .due_ns = WIDTH_FIRST_NS };
}

void layers_release(struct layers *layers)
{
	for (size_t i = 0; i < layers->count; i++)
		free(layers->moment[i].part);
	layers->count = 0;
}

/* --- the largest rows: a heap whose top is the smallest of them --- */

static bool is_less(const struct layers_part *a, const struct layers_part *b)
{
	return a->value != b->value ? a->value < b->value : a->row > b->row;
}

static void sink_top(struct layers_part *part, uint32_t count)
{
	for (uint32_t at = 0;;) {
		uint32_t least = at;
		struct layers_part moved;

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
			if (is_less(&part[child], &part[least]))
				least = child;
		if (least == at)
			return;
		moved = part[at];
		part[at] = part[least];
		part[least] = moved;
		at = least;
	}
}

static void raise_last(struct layers_part *part, uint32_t at)
{
	while (at && is_less(&part[at], &part[(at - 1) / 2])) {
		struct layers_part moved = part[at];

		part[at] = part[(at - 1) / 2];
		part[(at - 1) / 2] = moved;
		at = (at - 1) / 2;
	}
}

static int layers_compare_parts(const void *first, const void *second)
{
	return is_less(first, second) ? 1 : -1;
}

static uint32_t largest_rows(struct layers_part part[LAYERS_PARTS], const void *owner, size_t rows,
			     layers_value *value)
{
	uint32_t count = 0;

	for (size_t row = 0; row < rows; row++) {
		struct layers_part one = { value(owner, row), (uint32_t)row };

		if (!one.value)
			continue;
		if (count < LAYERS_PARTS) {
			part[count] = one;
			raise_last(part, count++);
		} else if (is_less(&part[0], &one)) {
			part[0] = one;
			sink_top(part, count);
		}
	}
	qsort(part, count, sizeof(*part), layers_compare_parts);
	return count;
}

/* --- moments --- */

static uint64_t layers_round_up(uint64_t time_ns, uint64_t width_ns)
{
	return (time_ns + width_ns - 1) / width_ns * width_ns;
}

/*
 * A moment at an odd position of the grid moves to the next even one, where the state is the same,
 * unless that position has a moment of its own or will get one.
 */
static void halve(struct layers *layers)
{
	uint64_t width = 2 * layers->width_ns;
	size_t kept = 0;

	layers->due_ns = layers_round_up(layers->due_ns, width);

	for (size_t i = 0; i < layers->count; i++) {
		struct layers_moment *moment = &layers->moment[i];
		uint64_t time_ns = layers_round_up(moment->time_ns, width);

		if ((i + 1 < layers->count && layers->moment[i + 1].time_ns <= time_ns) ||
		    time_ns >= layers->due_ns) {
			free(moment->part);
			continue;
		}
		moment->time_ns = time_ns;
		layers->moment[kept++] = *moment;
	}
	layers->count = kept;
	layers->width_ns = width;
}

static void layers_put_moment(struct layers *layers, uint64_t time_ns, uint64_t all,
			      const void *owner, size_t rows, layers_value *value)
{
	struct layers_part part[LAYERS_PARTS] = { { 0 } };
	struct layers_moment moment = { .time_ns = time_ns, .all = all };

	moment.count = largest_rows(part, owner, rows, value);
	moment.part = memory_grow(NULL, moment.count + 1, sizeof(*part));
	memcpy(moment.part, part, moment.count * sizeof(*part));
	layers->moment[layers->count++] = moment;
}

void layers_look(struct layers *layers, uint64_t time_ns, uint64_t all, const void *owner,
		 size_t rows, layers_value *value)
{
	if (time_ns >= TIME_MAX_NS)
		return;
	while (layers->count + 1 >= LAYERS_MOMENTS) /* the last place is reserved for the end */
		halve(layers);
	if (time_ns < layers->due_ns)
		return;
	layers_put_moment(layers, layers->due_ns, all, owner, rows, value);
	layers->due_ns = (time_ns / layers->width_ns + 1) * layers->width_ns;
}

void layers_end(struct layers *layers, uint64_t end_ns, uint64_t all, const void *owner,
		size_t rows, layers_value *value)
{
	struct layers_moment *last = layers->count ? &layers->moment[layers->count - 1] : NULL;

	if (last && last->time_ns > end_ns)
		end_ns = last->time_ns;
	layers_put_moment(layers, end_ns, all, owner, rows, value);
}
