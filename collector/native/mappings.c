/* SPDX-License-Identifier: MIT */
/*
 * An array sorted by address, without overlaps: a new mapping cuts or replaces those that it
 * covers. A lookup tries the mapping that was found last, then a binary search.
 */
#include "collector/native/mappings.h"

#include <stdlib.h>
#include <string.h>

#include "collector/processes/maps.h"

void mappings_release(struct mappings *mappings)
{
	free(mappings->mapping);
	*mappings = (struct mappings){ 0 };
}

/* Index of the first mapping that ends after the address. */
static uint32_t mappings_from(const struct mappings *mappings, uint64_t address)
{
	uint32_t low = 0, high = mappings->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (mappings->mapping[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool mappings_grow(struct mappings *mappings, uint32_t more)
{
	uint32_t room = mappings->room ? mappings->room : 64;
	struct mapping *larger;

	while (room < mappings->count + more)
		room *= 2;
	if (room == mappings->room)
		return true;
	larger = room > MAPPINGS_MAX ? NULL : realloc(mappings->mapping, room * sizeof(*larger));
	if (!larger)
		return false;
	mappings->mapping = larger;
	mappings->room = room;
	return true;
}

/* Replaces `count` entries from `at` on by the `with` new ones. There must be room. */
static void mappings_replace(struct mappings *mappings, uint32_t at, uint32_t count,
			     const struct mapping *with, uint32_t with_count)
{
	struct mapping *from = mappings->mapping + at;

	memmove(from + with_count, from + count, (mappings->count - at - count) * sizeof(*from));
	memcpy(from, with, with_count * sizeof(*from));
	mappings->count += with_count - count;
}

bool mappings_replaces(const struct mappings *mappings, const struct mapping *fresh)
{
	for (uint32_t i = mappings_from(mappings, fresh->start);
	     i < mappings->count && mappings->mapping[i].start < fresh->end; i++) {
		const struct mapping *known = &mappings->mapping[i];

		if (known->file && (known->file != fresh->file ||
				    known->start - known->offset != fresh->start - fresh->offset))
			return true;
	}
	return false;
}

bool mappings_put(struct mappings *mappings, const struct mapping *fresh)
{
	uint32_t first = mappings_from(mappings, fresh->start), last = first, parts = 0;
	struct mapping part[3];

	if (fresh->start >= fresh->end || !mappings_grow(mappings, 2))
		return fresh->start >= fresh->end;
	while (last < mappings->count && mappings->mapping[last].start < fresh->end)
		last++;
	if (first < last && mappings->mapping[first].start < fresh->start) {
		part[parts] = mappings->mapping[first];
		part[parts++].end = fresh->start;
	}
	part[parts++] = *fresh;
	if (first < last && mappings->mapping[last - 1].end > fresh->end) {
		part[parts] = mappings->mapping[last - 1];
		part[parts].offset += fresh->end - part[parts].start;
		part[parts++].start = fresh->end;
	}
	mappings_replace(mappings, first, last - first, part, parts);
	return true;
}

bool mappings_read(struct mappings *mappings, struct tables *tables, uint32_t pid)
{
	struct maps_line line;
	struct maps maps;

	if (!maps_init(&maps, pid))
		return false;
	while (maps_next(&maps, &line)) {
		if (!line.executable)
			continue;
		(void)mappings_put(mappings,
				   &(struct mapping){ line.start, line.end, line.offset,
						      tables_file(tables, line.device, line.inode,
								  line.path) });
	}
	maps_release(&maps);
	return true;
}

const struct mapping *mappings_find(struct mappings *mappings, uint64_t address)
{
	const struct mapping *recent = mappings->mapping + mappings->recent;
	uint32_t at;

	if (mappings->recent < mappings->count && address >= recent->start && address < recent->end)
		return recent;
	at = mappings_from(mappings, address);
	if (at == mappings->count || mappings->mapping[at].start > address)
		return NULL;
	mappings->recent = at;
	return &mappings->mapping[at];
}
