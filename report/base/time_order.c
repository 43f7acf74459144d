/* SPDX-License-Identifier: MIT */
/* A merge sort that begins with the runs it finds: see time_order.h. */
#include "report/base/time_order.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/vast.h"

#define NEAR 64u /* elements that one is moved back by; from further away it begins a run */
#define LARGE_BYTES ((size_t)1 << 20) /* of an array whose copy is worth memory of its own */
#define WORDS_MAX 32u                 /* of an element that is moved so */

/* An array of elements of so many words; the first is the time. */
struct order {
	uint64_t *from, *to;
	size_t words, count;
	size_t *run; /* where each begins, and at last the end */
	size_t runs;
};

static inline uint64_t time_at(const struct order *order, size_t at)
{
	return order->from[at * order->words];
}

/* The element goes to its place among those before it. False when that is far away: nothing has changed. */
static bool run_insert(const struct order *order, size_t begin, size_t at)
{
	uint64_t element[WORDS_MAX], *from = order->from;
	size_t words = order->words, to = at;

	for (; to > begin && time_at(order, to - 1) > time_at(order, at); to--)
		if (at - to == NEAR || words > WORDS_MAX)
			return false;
	memcpy(element, &from[at * words], words * sizeof(*element));
	memmove(&from[(to + 1) * words], &from[to * words], (at - to) * words * sizeof(*element));
	memcpy(&from[to * words], element, words * sizeof(*element));
	return true;
}

/* Where the run that begins there ends. */
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

static inline uint64_t *words_copy(uint64_t *to, const uint64_t *from, size_t words)
{
	for (size_t i = 0; i < words; i++)
		to[i] = from[i];
	return to + words;
}

/* Two runs that follow each other become one, at the same place of the other array. */
static inline void runs_merge(const struct order *order, size_t left, size_t right, size_t end)
{
	size_t words = order->words;
	const uint64_t *a = order->from + left * words, *b = order->from + right * words;
	const uint64_t *a_end = b, *b_end = order->from + end * words;
	uint64_t *to = order->to + left * words;

	while (a < a_end && b < b_end) {
		const uint64_t **least = *b < *a ? &b : &a;

		to = words_copy(to, *least, words);
		*least += words;
	}
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*to));
	to += a_end - a;
	memcpy(to, b, (size_t)(b_end - b) * sizeof(*to));
}

/* Every second run is merged with the one before it. */
static void runs_halve(struct order *order)
{
	uint64_t *from = order->from;
	size_t runs = 0;

	for (size_t i = 0; i < order->runs; i += 2) {
		size_t left = order->run[i], right = order->run[i + 1];
		size_t end = i + 2 <= order->runs ? order->run[i + 2] : right;

		runs_merge(order, left, right, end);
		order->run[runs++] = left;
	}
	order->run[runs] = order->count;
	order->runs = runs;
	order->from = order->to;
	order->to = from;
}

void time_order_sort(void *array, size_t count, size_t bytes)
{
	struct order order = { .from = array, .words = bytes / sizeof(uint64_t), .count = count };
	bool is_large = count > LARGE_BYTES / bytes;
	uint64_t *other = NULL;
	size_t room = 0;

	if (!count)
		return;
	runs_find(&order);
	if (order.runs > 1)
		other = is_large ? vast_room(NULL, count, &room, bytes)
				 : memory_grow(NULL, count, bytes);
	order.to = other;
	while (order.runs > 1)
		runs_halve(&order);
	if (order.from != array)
		memcpy(array, order.from, count * bytes);
	free(order.run);
	if (is_large)
		vast_release(other, room, bytes);
	else
		free(other);
}
