/* SPDX-License-Identifier: MIT */
/* Lists, and open addressing with linear probing for what is in none; a node is compared, never believed of a hash. */
#include "report/stacks/node_table.h"

#include <stdlib.h>

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/base/vast.h"

#define SLOTS_FIRST 1024u

void node_table_init(struct node_table *table)
{
	*table = (struct node_table){ .count = 1 };
	table->node = vast_room(NULL, 0, &table->room, sizeof(*table->node));
	table->secret = map_hash_bytes(NULL, 0, 1) | 1; /* no file can be made to collide */
}

void node_table_release(struct node_table *table)
{
	vast_release(table->node, table->room, sizeof(*table->node));
	free(table->slot);
	*table = (struct node_table){ 0 };
}

static inline size_t node_home(const struct node_table *table, uint32_t parent, uint32_t frame)
{
	uint64_t hash = ((uint64_t)frame << 32 | parent) * table->secret;

	return ((hash ^ hash >> 32) * table->secret >> 32) & (table->slots - 1);
}

/* Where the node stands in the hash, or where it would. */
static uint32_t *slot_of(const struct node_table *table, uint32_t parent, uint32_t frame)
{
	size_t at = node_home(table, parent, frame), mask = table->slots - 1;

	for (; table->slot[at]; at = (at + 1) & mask) {
		const struct named_node *node = &table->node[table->slot[at]];

		if (node->parent == parent && node->frame == frame)
			break;
	}
	return &table->slot[at];
}

static void table_expand(struct node_table *table)
{
	free(table->slot);
	table->slots = table->slots ? table->slots * 2 : SLOTS_FIRST;
	table->slot = memory_zero(table->slots, sizeof(*table->slot));
	memory_ask_huge_pages(table->slot, table->slots * sizeof(*table->slot));
	for (uint32_t i = 1; i < table->count; i++) {
		const struct named_node *node = &table->node[i];

		if (node->sibling == NODE_IS_FAR)
			*slot_of(table, node->parent, node->frame) = i;
	}
}

static uint32_t node_add(struct node_table *table, uint32_t parent, uint32_t frame,
			 uint32_t sibling)
{
	table->node = vast_room(table->node, table->count, &table->room, sizeof(*table->node));
	table->node[table->count] = (struct named_node){ parent, frame, 0, sibling };
	return (uint32_t)table->count++;
}

/* The parent's list is full, and the node is not in it. */
static uint32_t put_far(struct node_table *table, uint32_t parent, uint32_t frame)
{
	uint32_t *slot;

	if (table->far >= table->slots / 2)
		table_expand(table);
	slot = slot_of(table, parent, frame);
	if (!*slot) {
		*slot = node_add(table, parent, frame, NODE_IS_FAR);
		table->far++;
	}
	return *slot;
}

uint32_t node_table_put(struct node_table *table, uint32_t parent, uint32_t frame)
{
	uint32_t first = table->node[parent].child, at = first, near = 0, node;

	for (; at; at = table->node[at].sibling, near++)
		if (table->node[at].frame == frame)
			return at;
	if (near == NODE_CHILDREN_NEAR)
		return put_far(table, parent, frame);
	node = node_add(table, parent, frame, first);
	return table->node[parent].child = node;
}
