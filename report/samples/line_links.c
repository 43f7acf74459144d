/* SPDX-License-Identifier: MIT */
/*
 * See line_links.h. A map by a hash of line, kind and linked line adds up the weights; the answer
 * is found by going over all pairs.
 */
#include "report/samples/line_links.h"

#include <stdlib.h>

#include "report/base/memory.h"

void line_links_init(struct line_links *links)
{
	*links = (struct line_links){ .link = NULL };
	map_init(&links->map);
}

void line_links_release(struct line_links *links)
{
	free(links->link);
	map_release(&links->map);
}

void line_links_add(struct line_links *links, const struct line_link *wanted)
{
	const uint64_t words[] = { wanted->line, wanted->kind, wanted->file, wanted->function,
				   wanted->number };
	bool added;
	struct map_entry *entry = map_put(&links->map, map_hash_bytes(words, sizeof(words), 0),
					  &added);

	if (!added) {
		links->link[entry->value].weight += wanted->weight;
		return;
	}
	links->link = memory_room(links->link, links->count, &links->room, sizeof(*links->link));
	links->link[links->count] = *wanted;
	entry->value = links->count++;
}

const struct line_link *line_links_most(const struct line_links *links, size_t line,
					enum line_link_kind kind)
{
	const struct line_link *most = NULL;

	for (size_t i = 0; i < links->count; i++) {
		const struct line_link *link = &links->link[i];

		if (link->line == line && link->kind == kind &&
		    (!most || link->weight > most->weight))
			most = link;
	}
	return most;
}
