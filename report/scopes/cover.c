/* SPDX-License-Identifier: MIT */
/*
 * A pair of group and place counts its open scopes. Each end adds the time since the previous end,
 * or since the first open scope began. The last pair of a group is remembered, as it is usually
 * needed next.
 */
#include "report/scopes/cover.h"

#include <stdlib.h>

#include "report/base/memory.h"

void cover_init(struct cover *cover)
{
	*cover = (struct cover){ .pair_count = 0 };
	map_init(&cover->pairs);
}

void cover_release(struct cover *cover)
{
	map_release(&cover->pairs);
	free(cover->pair);
	free(cover->group);
}

static struct cover_pair *pair_at(struct cover *cover, struct cover_group *of, uint32_t group,
				  uint32_t place)
{
	struct map_entry *entry;
	bool added;

	if (of->last_place == place + 1)
		return &cover->pair[of->last];
	entry = map_put(&cover->pairs, (uint64_t)(group + 1) << 32 | place, &added);
	if (added) {
		cover->pair = memory_room(cover->pair, cover->pair_count, &cover->pair_room,
					  sizeof(*cover->pair));
		cover->pair[cover->pair_count] = (struct cover_pair){ 0, 0 };
		entry->value = cover->pair_count++;
	}
	of->last_place = place + 1;
	of->last = (uint32_t)entry->value;
	return &cover->pair[of->last];
}

static struct cover_group *group_at(struct cover *cover, uint32_t group)
{
	if (group >= cover->group_room)
		cover->group = memory_room(cover->group, group, &cover->group_room,
					   sizeof(*cover->group));
	return &cover->group[group];
}

void cover_begin(struct cover *cover, uint32_t group, uint32_t place, uint64_t time_ns)
{
	struct cover_pair *pair = pair_at(cover, group_at(cover, group), group, place);

	if (!pair->open++)
		pair->since_ns = time_ns;
}

void cover_end(struct cover *cover, uint32_t group, uint32_t place, uint64_t time_ns, bool adds)
{
	struct cover_group *of = group_at(cover, group);
	struct cover_pair *pair = pair_at(cover, of, group, place);

	if (!pair->open)
		return;
	pair->open--;
	if (!adds || time_ns <= pair->since_ns)
		return;
	of->ns += time_ns - pair->since_ns;
	pair->since_ns = time_ns;
}

void cover_join(struct cover *cover, uint32_t into, uint32_t from)
{
	group_at(cover, into)->ns += cover_ns(cover, from);
}

uint64_t cover_ns(const struct cover *cover, uint32_t group)
{
	return group < cover->group_room ? cover->group[group].ns : 0;
}
