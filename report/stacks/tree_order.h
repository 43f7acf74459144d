/* SPDX-License-Identifier: MIT */
/*
 * The order in which the nodes of a tree are shown: each node behind its parent, siblings as their
 * caller has sorted them. Nodes are numbers; 0 is the root, and a parent has a smaller number than
 * its children. No recursion.
 */
#ifndef REPORT_STACKS_TREE_ORDER_H
#define REPORT_STACKS_TREE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/*
 * `order` has the numbers of all nodes but the root, so that siblings stand in the reverse of the
 * order that they are to have; it is overwritten. `parent` points to the parent of node 0. Those of
 * the next nodes follow at distances of `bytes`.
 */
void tree_order(uint32_t *order, size_t nodes, const uint32_t *parent, size_t bytes);

#endif
