/* SPDX-License-Identifier: MIT */
/* Lines that are linked have numbers; base/row_links.h adds up the links. */
#include "report/samples/line_links.h"

#include <stdlib.h>

#include "report/base/memory.h"

void line_links_init(struct line_links *links)
{
	*links = (struct line_links){ .link = NULL };
	map_init(&links->map);
	row_links_init(&links->row);
}

void line_links_release(struct line_links *links)
{
	free(links->link);
	map_release(&links->map);
	row_links_release(&links->row);
}

void line_links_add(struct line_links *links, const struct line_link *wanted)
{
	const uint64_t words[] = { wanted->line, wanted->kind, wanted->file, wanted->function,
				   wanted->number };
	bool added;
	struct map_entry *entry = map_put(&links->map, map_hash_bytes(words, sizeof(words), 0),
					  &added);

	if (added) {
		links->link = memory_room(links->link, links->count, &links->room,
					  sizeof(*links->link));
		links->link[links->count] = *wanted;
		entry->value = links->count++;
	} else {
		links->link[entry->value].weight += wanted->weight;
	}
	row_links_add(&links->row, wanted->line, wanted->kind, entry->value, wanted->weight);
}

const struct line_link *line_links_most(const struct line_links *links, size_t line,
					enum line_link_kind kind)
{
	uint64_t number;

	return row_links_most(&links->row, line, kind, &number) ? &links->link[number] : NULL;
}
