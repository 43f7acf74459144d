/* SPDX-License-Identifier: MIT */
/*
 * An array of entries, each the sum of up to `width` samples. When it is full, neighbours are
 * joined and `width` doubles. A call takes entries from the end, back to its begin.
 */
#include "report/samples/open_looks.h"

static void look_join(struct open_look *into, const struct open_look *more)
{
	into->all_ns += more->all_ns;
	into->python_ns += more->python_ns;
}

static void looks_halve(struct open_looks *looks)
{
	for (uint32_t i = 0; i < OPEN_LOOKS / 2; i++) {
		looks->look[i] = looks->look[2 * i];
		look_join(&looks->look[i], &looks->look[2 * i + 1]);
	}
	looks->count = OPEN_LOOKS / 2;
	looks->last = looks->width *= 2;
}

static void looks_begin(struct open_looks *looks, uint64_t place, uint64_t row)
{
	looks->place = place;
	looks->row = row;
	looks->count = 0;
	looks->last = looks->width = 1;
}

void open_looks_add(struct open_looks *looks, uint64_t place, uint64_t row,
		    const struct open_look *look)
{
	if (!looks->count || looks->place != place || looks->row != row)
		looks_begin(looks, place, row);
	if (looks->last < looks->width) {
		look_join(&looks->look[looks->count - 1], look);
		looks->last++;
		return;
	}
	if (looks->count == OPEN_LOOKS)
		looks_halve(looks);
	looks->look[looks->count++] = *look;
	looks->last = 1;
}

struct open_look open_looks_take(struct open_looks *looks, uint64_t since_ns)
{
	struct open_look sum = { .time_ns = since_ns };

	for (; looks->count && looks->look[looks->count - 1].time_ns >= since_ns; looks->count--) {
		look_join(&sum, &looks->look[looks->count - 1]);
		looks->last = looks->width;
	}
	return sum;
}
