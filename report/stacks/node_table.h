/* SPDX-License-Identifier: MIT */
/*
 * Pairs of numbers, numbered from 1 in the order of their appearance: a parent, which is one of them or 0, and what it has
 * below it.
 *
 * The first children of a parent are a list, as most have one or two and were put soon after it: going through them stays
 * in the cache, where a hash would not. Only what is beyond NODE_CHILDREN_NEAR of them stands in a hash. 16 bytes a pair, and
 * at most sixteen more for one in the hash. One thread.
 */
#ifndef REPORT_STACKS_NODE_TABLE_H
#define REPORT_STACKS_NODE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "report/base/slots.h"

#define NODE_CHILDREN_NEAR 8u
#define NODE_IS_FAR UINT32_MAX /* `sibling` of one that is in no list: it stands in the hash */

struct named_node {
	uint32_t parent, frame; /* who called, 0: nobody */
	uint32_t child;         /* the first of its list; 0: none */
	uint32_t sibling;       /* the next in its parent's list, 0: none; NODE_IS_FAR */
};

struct node_table {
	struct named_node *node; /* [0] is none; its children have no parent */
	size_t count, room;
	struct slots far; /* of nodes in no list; empty: nobody has so many children */
	uint64_t secret;
};

void node_table_init(struct node_table *table);
void node_table_release(struct node_table *table);
uint32_t node_table_put(struct node_table *table, uint32_t parent, uint32_t frame);

#endif
