/* SPDX-License-Identifier: MIT */
/* Open addressing with linear probing; a node is compared, never believed of a hash. */
#include "report/stacks/node_table.h"

#include <stdlib.h>

#include "report/base/map.h"
#include "report/base/memory.h"

#define SLOTS_FIRST 1024u

void node_table_init(struct node_table *table)
{
	*table = (struct node_table){ .count = 1, .slots = SLOTS_FIRST };
	table->node = memory_room(NULL, 0, &table->room, sizeof(*table->node));
	table->slot = memory_zero(table->slots, sizeof(*table->slot));
	table->secret = map_hash_bytes(NULL, 0, 1) | 1; /* no file can be made to collide */
}

void node_table_release(struct node_table *table)
{
	free(table->node);
	free(table->slot);
	*table = (struct node_table){ 0 };
}

static inline size_t node_home(const struct node_table *table, uint32_t parent, uint32_t frame)
{
	uint64_t hash = ((uint64_t)frame << 32 | parent) * table->secret;

	return ((hash ^ hash >> 32) * table->secret >> 32) & (table->slots - 1);
}

static void table_expand(struct node_table *table)
{
	size_t mask = table->slots * 2 - 1;

	free(table->slot);
	table->slots *= 2;
	table->slot = memory_zero(table->slots, sizeof(*table->slot));
	memory_ask_huge_pages(table->slot, table->slots * sizeof(*table->slot));
	for (uint32_t i = 1; i < table->count; i++) {
		size_t at = node_home(table, table->node[i].parent, table->node[i].frame);

		while (table->slot[at])
			at = (at + 1) & mask;
		table->slot[at] = i;
	}
}

uint32_t node_table_put(struct node_table *table, uint32_t parent, uint32_t frame)
{
	size_t at = node_home(table, parent, frame), mask = table->slots - 1;

	for (; table->slot[at]; at = (at + 1) & mask) {
		const struct named_node *node = &table->node[table->slot[at]];

		if (node->parent == parent && node->frame == frame)
			return table->slot[at];
	}
	table->node = memory_room(table->node, table->count, &table->room, sizeof(*table->node));
	table->node[table->count] = (struct named_node){ parent, frame };
	table->slot[at] = (uint32_t)table->count++;
	if (table->count > table->slots / 2)
		table_expand(table);
	return (uint32_t)table->count - 1;
}
