/* SPDX-License-Identifier: MIT */
/*
 * Two growing arrays: the ends that were noted, which are sorted by time before they are taken, and
 * the last end of each range of addresses. A later end replaces those that it overlaps.
 */
#include "collector/processes/module_ends.h"

#include <stdlib.h>
#include <string.h>

void module_ends_release(struct module_ends *ends)
{
	free(ends->noted);
	free(ends->last);
	*ends = (struct module_ends){ .count = 0 };
}

static bool reserve(struct module_end **array, uint32_t *room, uint32_t count, uint32_t most)
{
	uint32_t larger = *room ? *room * 2 : 16;
	struct module_end *moved;

	if (count < *room)
		return true;
	moved = larger > most ? NULL : realloc(*array, larger * sizeof(*moved));
	if (!moved)
		return false;
	*array = moved;
	*room = larger;
	return true;
}

void module_ends_note(struct module_ends *ends, const struct module_end *end)
{
	if (reserve(&ends->noted, &ends->room, ends->count, MODULE_ENDS_MAX))
		ends->noted[ends->count++] = *end;
}

static int module_ends_by_time(const void *one, const void *other)
{
	const struct module_end *a = one, *b = other;

	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

void module_ends_sort(struct module_ends *ends)
{
	if (ends->count > 1)
		qsort(ends->noted, ends->count, sizeof(*ends->noted), module_ends_by_time);
}

static bool overlaps(const struct module_end *one, uint64_t start, uint64_t end)
{
	return one->start < end && start < one->end;
}

void module_ends_keep(struct module_ends *ends, const struct module_end *end)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < ends->places; i++)
		if (!overlaps(&ends->last[i], end->start, end->end))
			ends->last[kept++] = ends->last[i];
	ends->places = kept;
	if (reserve(&ends->last, &ends->places_room, ends->places, MODULE_ENDS_KEPT))
		ends->last[ends->places++] = *end;
}

uint64_t module_ends_before(const struct module_ends *ends, uint64_t start, uint64_t end)
{
	uint64_t time_ns = 0;

	for (uint32_t i = 0; i < ends->places; i++)
		if (overlaps(&ends->last[i], start, end) && ends->last[i].time_ns > time_ns)
			time_ns = ends->last[i].time_ns;
	return time_ns;
}

struct module_end *module_ends_first(struct module_ends *ends, uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < ends->count; i++)
		if (overlaps(&ends->noted[i], start, end))
			return &ends->noted[i];
	return NULL;
}

bool module_ends_between(const struct module_ends *ends, uint64_t start, uint64_t end,
			 uint64_t from_ns, uint64_t to_ns)
{
	for (uint32_t i = 0; i < ends->count; i++)
		if (overlaps(&ends->noted[i], start, end) && ends->noted[i].time_ns >= from_ns &&
		    ends->noted[i].time_ns <= to_ns)
			return true;
	return false;
}

void module_ends_forget(struct module_ends *ends, struct module_end *end)
{
	uint32_t at = (uint32_t)(end - ends->noted);

	ends->count--;
	memmove(end, end + 1, (ends->count - at) * sizeof(*end));
}

void module_ends_drop(struct module_ends *ends, uint32_t count)
{
	ends->count -= count;
	if (count)
		memmove(ends->noted, ends->noted + count, ends->count * sizeof(*ends->noted));
}
