/* SPDX-License-Identifier: MIT */
/*
 * Pairs of numbers, numbered from 1 in the order of their appearance: a parent, which is a pair or
 * 0, and what is below it.
 *
 * The first children of a parent are in a list, because most parents have one or two, added soon
 * after the parent. Following the list stays in the cache, where a hash lookup would not. Only
 * children beyond NODE_CHILDREN_NEAR are in a hash table. A pair takes 16 bytes, and at most
 * sixteen more in the hash table. One thread.
 */
#ifndef REPORT_STACKS_NODE_TABLE_H
#define REPORT_STACKS_NODE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "report/base/slots.h"

#define NODE_CHILDREN_NEAR 8u
#define NODE_IS_FAR UINT32_MAX /* `sibling` of a node in no list: it is in the hash table */

struct named_node {
	uint32_t parent, frame; /* the caller, 0: none */
	uint32_t child;         /* the first of its list; 0: none */
	uint32_t sibling;       /* the next in its parent's list, 0: none; NODE_IS_FAR */
};

struct node_table {
	struct named_node *node; /* [0] is no node; its children have no parent */
	size_t count, room;
	struct slots far; /* nodes in no list; empty if no node has that many children */
	uint64_t secret;
};

void node_table_init(struct node_table *table);
void node_table_release(struct node_table *table);
uint32_t node_table_put(struct node_table *table, uint32_t parent, uint32_t frame);

#endif
