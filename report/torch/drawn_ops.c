/* SPDX-License-Identifier: MIT */
/*
 * A row's sums are compared where a window ends, so operators cost nothing more. With y of a window
 * and its size x, the rest of the run, X, has X * sum(y) / sum(x).
 */
#include "report/torch/drawn_ops.h"

#include <math.h>
#include <stdlib.h>

#include "report/base/memory.h"
#include "report/torch/operators.h"

void drawn_ops_release(struct drawn_ops *drawn)
{
	free(drawn->row);
	*drawn = (struct drawn_ops){ 0 };
}

static void drawn_value_take(struct drawn_value *value, uint64_t now, double size, bool is_first)
{
	double y = (double)(now - value->before);

	value->before = now;
	if (is_first) {
		value->first = y;
		return;
	}
	value->sum += y;
	value->squares += y * y;
	value->by_size += y * size;
}

void drawn_ops_take(struct drawn_ops *drawn, const struct operator_row *row, size_t count,
		    double size)
{
	bool is_first = !drawn->windows++;

	if (is_first) {
		drawn->first_size = size;
	} else {
		drawn->size += size;
		drawn->squares += size * size;
	}
	if (count)
		drawn->row = memory_room(drawn->row, count - 1, &drawn->room, sizeof(*drawn->row));
	for (size_t i = 0; i < count; i++) {
		drawn_value_take(&drawn->row[i].calls, row[i].calls, size, is_first);
		drawn_value_take(&drawn->row[i].ns, row[i].total.ns, size, is_first);
	}
}

void drawn_ops_finish(struct drawn_ops *drawn, double whole_size)
{
	drawn->whole_size = whole_size;
}

bool drawn_ops_know(const struct drawn_ops *drawn)
{
	return drawn->windows > DRAWN_WINDOWS_MIN && drawn->size > 0 &&
	       drawn->whole_size >= drawn->first_size + drawn->size;
}

static struct drawn_estimate drawn_estimate_of(const struct drawn_ops *drawn,
					       const struct drawn_value *value)
{
	double rest = drawn->whole_size - drawn->first_size, count = (double)drawn->windows - 1;
	double ratio = value->sum / drawn->size, unseen = 1 - drawn->size / rest;
	double spread = value->squares - 2 * ratio * value->by_size +
			ratio * ratio * drawn->squares;
	double error = 0;

	if (spread > 0 && unseen > 0)
		error = rest / drawn->size * sqrt(spread * count / (count - 1) * unseen);
	return (struct drawn_estimate){ value->first + rest * ratio, error };
}

struct drawn_estimate drawn_ops_calls(const struct drawn_ops *drawn, size_t row)
{
	if (row >= drawn->room)
		return (struct drawn_estimate){ 0 };
	return drawn_estimate_of(drawn, &drawn->row[row].calls);
}

struct drawn_estimate drawn_ops_ns(const struct drawn_ops *drawn, size_t row)
{
	if (row >= drawn->room)
		return (struct drawn_estimate){ 0 };
	return drawn_estimate_of(drawn, &drawn->row[row].ns);
}
