/* SPDX-License-Identifier: MIT */
/* A merge sort that begins with the sorted runs that it finds in the array. */
#include "report/base/time_order.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define NEAR 64u      /* limit for moving an element back; one from further away begins a new run */
#define WORDS_MAX 32u /* limit for an element that is moved so */

/* An array of elements of a number of words; the first word is the time. */
struct order {
	uint64_t *from;
	size_t words, count;
	uint64_t *other; /* memory for elements that are being moved */
	size_t other_room;
	size_t *run; /* the start of each run, and finally the end */
	size_t runs;
};

static inline uint64_t time_at(const struct order *order, size_t at)
{
	return order->from[at * order->words];
}

static inline uint64_t *words_copy(uint64_t *to, const uint64_t *from, size_t words)
{
	for (size_t i = 0; i < words; i++)
		to[i] = from[i];
	return to + words;
}

/*
 * Moves the element to its place among those before it. Returns false, with nothing changed, if
 * that is too far away.
 */
static inline bool run_insert(const struct order *order, size_t begin, size_t at)
{
	uint64_t element[WORDS_MAX], *from = order->from, time = time_at(order, at);
	size_t words = order->words, to = at;

	if (words > WORDS_MAX || (at - begin > NEAR && time_at(order, at - NEAR - 1) > time))
		return false;
	words_copy(element, &from[at * words], words);
	for (; to > begin && time_at(order, to - 1) > time; to--)
		words_copy(&from[to * words], &from[(to - 1) * words], words);
	words_copy(&from[to * words], element, words);
	return true;
}

/* Returns the end of the run that begins there. */
static size_t run_make(const struct order *order, size_t begin)
{
	size_t at = begin + 1;

	while (at < order->count &&
	       (time_at(order, at) >= time_at(order, at - 1) || run_insert(order, begin, at)))
		at++;
	return at;
}

static void runs_find(struct order *order)
{
	size_t room = 0;

	for (size_t at = 0; at < order->count; at = run_make(order, at)) {
		order->run = memory_room(order->run, order->runs + 1, &room, sizeof(*order->run));
		order->run[order->runs++] = at;
	}
	order->run[order->runs] = order->count;
}

/*
 * Returns the first element of [low, high) that is later than `time`. They are sorted, and it is
 * mostly near the end.
 */
static size_t first_later(const struct order *order, size_t low, size_t high, uint64_t time)
{
	size_t from = high;

	for (size_t step = 1; from > low && time_at(order, from - 1) > time; step *= 2) {
		high = from - 1;
		from = high - low > step ? high - step : low;
	}
	while (from < high) {
		size_t middle = from + (high - from) / 2;

		if (time_at(order, middle) > time)
			high = middle;
		else
			from = middle + 1;
	}
	return high;
}

/* Returns the first element of [low, high) that is not earlier; it is mostly near the beginning. */
static size_t first_not_earlier(const struct order *order, size_t low, size_t high, uint64_t time)
{
	size_t to = low;

	for (size_t step = 1; to < high && time_at(order, to) < time; step *= 2) {
		low = to + 1;
		to = high - low > step ? low + step : high;
	}
	while (low < to) {
		size_t middle = low + (to - low) / 2;

		if (time_at(order, middle) < time)
			low = middle + 1;
		else
			to = middle;
	}
	return low;
}

/* Makes room for that many elements; earlier contents are lost. */
static uint64_t *order_reserve(struct order *order, size_t elements)
{
	if (elements > order->other_room) {
		free(order->other);
		order->other = memory_grow(NULL, elements, order->words * sizeof(*order->other));
		order->other_room = elements;
	}
	return order->other;
}

/*
 * Merges two consecutive runs. Only elements where they overlap are moved, which is a small part of
 * the long runs of a recording.
 */
static void runs_merge(struct order *order, size_t left, size_t right, size_t end)
{
	size_t words = order->words;
	size_t from = first_later(order, left, right, time_at(order, right));
	size_t upto = first_not_earlier(order, right, end, time_at(order, right - 1));
	const uint64_t *a = order_reserve(order, right - from), *a_end = a + (right - from) * words;
	const uint64_t *b = order->from + right * words, *b_end = order->from + upto * words;
	uint64_t *to = order->from + from * words;

	if (from == right)
		return;
	memcpy(order->other, to, (right - from) * words * sizeof(*to));
	while (a < a_end && b < b_end) {
		const uint64_t **least = *b < *a ? &b : &a;

		to = words_copy(to, *least, words);
		*least += words;
	}
	/* the rest of the second run is already in its place */
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*to));
}

/* Merges every second run with the one before it. */
static void runs_halve(struct order *order)
{
	size_t runs = 0;

	for (size_t i = 0; i < order->runs; i += 2) {
		if (i + 1 < order->runs)
			runs_merge(order, order->run[i], order->run[i + 1], order->run[i + 2]);
		order->run[runs++] = order->run[i];
	}
	order->run[runs] = order->count;
	order->runs = runs;
}

void time_order_sort(void *array, size_t count, size_t bytes)
{
	struct order order = { .from = array, .words = bytes / sizeof(uint64_t), .count = count };

	if (!count)
		return;
	runs_find(&order);
	while (order.runs > 1)
		runs_halve(&order);
	free(order.run);
	free(order.other);
}
