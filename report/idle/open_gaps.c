/* SPDX-License-Identifier: MIT */
/*
 * A map from stream and thread to a gap, whose parts are a list by key. The part used last moves to
 * the front. Dropped parts are reused.
 */
#include "report/idle/open_gaps.h"

#include <stdlib.h>

#include "report/base/memory.h"

void open_gaps_init(struct open_gaps *gaps)
{
	*gaps = (struct open_gaps){ .gap_count = 0 };
	map_init(&gaps->gaps);
}

void open_gaps_release(struct open_gaps *gaps)
{
	map_release(&gaps->gaps);
	free(gaps->gap);
	free(gaps->part);
}

/* Never 0, which is no valid key of a map. */
static uint64_t open_gaps_id_of(uint32_t stream, uint32_t thread)
{
	return ((uint64_t)stream << 32 | thread) + 1;
}

static void gap_drop_parts(struct open_gaps *gaps, struct open_gap *gap)
{
	while (gap->first) {
		struct open_gap_part *part = &gaps->part[gap->first - 1];
		uint32_t next = part->next;

		part->next = gaps->unused;
		gaps->unused = gap->first;
		gap->first = next;
	}
}

struct open_gap *open_gaps_put(struct open_gaps *gaps, uint32_t stream, uint32_t thread,
			       uint64_t from_ns)
{
	bool added;
	struct map_entry *entry = map_put(&gaps->gaps, open_gaps_id_of(stream, thread), &added);
	struct open_gap *gap;

	if (added) {
		gaps->gap = memory_room(gaps->gap, gaps->gap_count, &gaps->gap_room,
					sizeof(*gaps->gap));
		gaps->gap[gaps->gap_count] = (struct open_gap){ .from_ns = from_ns,
								.to_ns = from_ns };
		entry->value = gaps->gap_count++;
	}
	gap = &gaps->gap[entry->value];
	if (gap->from_ns == from_ns)
		return gap;
	gap_drop_parts(gaps, gap);
	gap->from_ns = gap->to_ns = from_ns;
	return gap;
}

static uint32_t part_make(struct open_gaps *gaps)
{
	uint32_t part = gaps->unused;

	if (part) {
		gaps->unused = gaps->part[part - 1].next;
		return part;
	}
	gaps->part = memory_room(gaps->part, gaps->part_count, &gaps->part_room,
				 sizeof(*gaps->part));
	return (uint32_t)++gaps->part_count;
}

/* The part becomes the first, because a thread does the same things again. */
static struct open_gap_part *open_gaps_part_of(struct open_gaps *gaps, struct open_gap *gap,
					       uint32_t key)
{
	uint32_t at = gap->first, before = 0;

	for (; at && gaps->part[at - 1].key != key; at = gaps->part[at - 1].next)
		before = at;
	if (!at) {
		at = part_make(gaps);
		gaps->part[at - 1] = (struct open_gap_part){ .key = key, .next = gap->first };
	} else if (before) {
		gaps->part[before - 1].next = gaps->part[at - 1].next;
		gaps->part[at - 1].next = gap->first;
	}
	gap->first = at;
	return &gaps->part[at - 1];
}

void open_gap_add(struct open_gaps *gaps, struct open_gap *gap, uint32_t key, uint64_t ns)
{
	struct open_gap_part *part = open_gaps_part_of(gaps, gap, key);

	part->count++;
	part->total_ns += ns;
	if (ns > part->max_ns)
		part->max_ns = ns;
}

const struct open_gap_part *open_gap_next(const struct open_gaps *gaps, const struct open_gap *gap,
					  const struct open_gap_part *part)
{
	uint32_t at = part ? part->next : gap->first;

	return at ? &gaps->part[at - 1] : NULL;
}

const struct open_gap *open_gaps_find(const struct open_gaps *gaps, uint32_t stream,
				      uint32_t thread, uint64_t from_ns)
{
	const struct map_entry *entry = map_find(&gaps->gaps, open_gaps_id_of(stream, thread));

	if (!entry || gaps->gap[entry->value].from_ns != from_ns)
		return NULL;
	return &gaps->gap[entry->value];
}
