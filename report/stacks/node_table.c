/* SPDX-License-Identifier: MIT */
/* Children are in lists of limited length; slots have those that are in no list. */
#include "report/stacks/node_table.h"

#include <stdlib.h>

#include "report/base/map.h"
#include "report/base/vast.h"

void node_table_init(struct node_table *table)
{
	*table = (struct node_table){ .count = 1 };
	table->node = vast_room(NULL, 0, &table->room, sizeof(*table->node));
	/* so that no file can be made to cause collisions */
	table->secret = map_hash_bytes(NULL, 0, 1) | 1;
}

void node_table_release(struct node_table *table)
{
	vast_release(table->node, table->room, sizeof(*table->node));
	slots_release(&table->far);
	*table = (struct node_table){ 0 };
}

static inline uint64_t node_hash(const struct node_table *table, uint32_t parent, uint32_t frame)
{
	uint64_t hash = ((uint64_t)frame << 32 | parent) * table->secret;

	return (hash ^ hash >> 32) * table->secret >> 32;
}

static inline bool node_table_is_wanted(const void *owner, uint32_t number, const void *wanted)
{
	const struct named_node *node = &((const struct node_table *)owner)->node[number];
	const struct named_node *other = wanted;

	return node->parent == other->parent && node->frame == other->frame;
}

static uint32_t *node_table_slot_of(const struct node_table *table, uint32_t parent, uint32_t frame)
{
	struct named_node wanted = { .parent = parent, .frame = frame };

	return slots_find(&table->far, node_hash(table, parent, frame), node_table_is_wanted, table,
			  &wanted);
}

static void table_expand(struct node_table *table)
{
	slots_expand(&table->far);
	for (uint32_t i = 1; i < table->count; i++) {
		const struct named_node *node = &table->node[i];

		if (node->sibling == NODE_IS_FAR)
			*node_table_slot_of(table, node->parent, node->frame) = i;
	}
}

static uint32_t node_table_node_add(struct node_table *table, uint32_t parent, uint32_t frame,
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

	if (slots_are_full(&table->far))
		table_expand(table);
	slot = node_table_slot_of(table, parent, frame);
	if (!*slot) {
		*slot = node_table_node_add(table, parent, frame, NODE_IS_FAR);
		table->far.used++;
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
	node = node_table_node_add(table, parent, frame, first);
	return table->node[parent].child = node;
}
