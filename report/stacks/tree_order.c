/* SPDX-License-Identifier: MIT */
/* Lists of children are built from their end, which is why siblings are sorted backwards. */
#include "report/stacks/tree_order.h"

#include <stdlib.h>

#include "report/base/memory.h"

static uint32_t tree_order_parent(const uint32_t *parent, size_t bytes, uint32_t node)
{
	return *(const uint32_t *)(const void *)((const char *)parent + node * bytes);
}

void tree_order(uint32_t *order, size_t nodes, const uint32_t *parent, size_t bytes)
{
	uint32_t *first = memory_zero(nodes + 1, sizeof(*first)),
		 *next = memory_zero(nodes + 1, sizeof(*next)), at = 0;

	for (size_t i = 0; i + 1 < nodes; i++) {
		uint32_t above = tree_order_parent(parent, bytes, order[i]);

		next[order[i]] = first[above];
		first[above] = order[i];
	}
	for (size_t count = 0; count + 1 < nodes; count++) {
		if (first[at]) {
			at = first[at];
		} else {
			while (!next[at])
				at = tree_order_parent(parent, bytes, at);
			at = next[at];
		}
		order[count] = at;
	}
	free(first);
	free(next);
}
