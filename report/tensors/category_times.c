/* SPDX-License-Identifier: MIT */
/* Differences from moment to moment: see category_times.h. */
#include "report/tensors/category_times.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define WIDTH_FIRST_NS 1000000u
#define NEVER (UINT64_MAX / 2) /* a time that no writer can have written */

void category_times_release(struct category_times *times)
{
	free(times->change);
}

static void category_times_widen(struct category_times *times)
{
	for (size_t i = 0; i < CATEGORY_MOMENTS; i++)
		for (unsigned int k = 0; k < CATEGORIES; k++) {
			int64_t change = times->change[i][k];

			times->change[i][k] = 0;
			times->change[i / 2][k] += change;
		}
	times->width_ns *= 2;
	times->used = (times->used + 1) / 2;
}

static void category_times_add(struct category_times *times, uint64_t time_ns,
			       enum tensor_category category, int64_t bytes)
{
	size_t at;

	while (time_ns / times->width_ns >= CATEGORY_MOMENTS)
		category_times_widen(times);
	at = (size_t)(time_ns / times->width_ns);
	times->change[at][category] += bytes;
	if (at >= times->used)
		times->used = at + 1;
}

void category_times_put(struct category_times *times, uint64_t from_ns, uint64_t to_ns,
			enum tensor_category category, uint64_t bytes)
{
	if (from_ns >= NEVER)
		return;
	if (!times->change) {
		times->change = memory_zero(CATEGORY_MOMENTS, sizeof(*times->change));
		times->width_ns = WIDTH_FIRST_NS;
	}
	category_times_add(times, from_ns, category, (int64_t)bytes);
	if (to_ns < NEVER)
		category_times_add(times, to_ns, category, -(int64_t)bytes);
}

size_t category_times_make(const struct category_times *times, uint64_t end_ns,
			   uint64_t ret_bytes[CATEGORY_MOMENTS][CATEGORIES])
{
	int64_t now[CATEGORIES] = { 0 };
	size_t count = times->change ? (size_t)(end_ns / times->width_ns) : 0;

	if (!count && times->used)
		count = 1;
	if (count > CATEGORY_MOMENTS)
		count = CATEGORY_MOMENTS;
	for (size_t i = 0; i < count; i++)
		for (unsigned int k = 0; k < CATEGORIES; k++) {
			now[k] += times->change[i][k];
			ret_bytes[i][k] = now[k] > 0 ? (uint64_t)now[k] : 0;
		}
	return count;
}
