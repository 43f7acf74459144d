/* SPDX-License-Identifier: MIT */
/*
 * Pairs of numbers, numbered from 1 in the order of their appearance: a parent, which is one of them or 0, and what it has
 * below it. Eight bytes a pair and at most eight more to find it. One thread.
 */
#ifndef REPORT_STACKS_NODE_TABLE_H
#define REPORT_STACKS_NODE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct named_node {
	uint32_t parent, frame; /* who called, 0: nobody */
};

struct node_table {
	struct named_node *node; /* [0] is none */
	size_t count, room;
	uint32_t *slot; /* of the hash: a node's number, 0: none */
	size_t slots;   /* a power of two */
	uint64_t secret;
};

void node_table_init(struct node_table *table);
void node_table_release(struct node_table *table);
uint32_t node_table_put(struct node_table *table, uint32_t parent, uint32_t frame);

#endif
