/* SPDX-License-Identifier: MIT */
/* Two maps: when the young one is full, it becomes the old one, whose numbers are forgotten. */
#include "report/modules/autograd_nodes.h"

void autograd_nodes_init(struct autograd_nodes *nodes)
{
	*nodes = (struct autograd_nodes){ .forgotten = 0 };
	map_init(&nodes->young);
	map_init(&nodes->old);
}

void autograd_nodes_release(struct autograd_nodes *nodes)
{
	map_release(&nodes->young);
	map_release(&nodes->old);
}

static uint64_t autograd_node_key(struct autograd_node node)
{
	const uint64_t words[3] = { node.process, node.thread, node.sequence };
	uint64_t key = map_hash_bytes(words, sizeof(words), 0);

	return key ? key : 1;
}

void autograd_nodes_put(struct autograd_nodes *nodes, struct autograd_node node, uint32_t module)
{
	bool added;

	if (nodes->young.count >= AUTOGRAD_NODES_MAX) {
		nodes->forgotten += nodes->old.count;
		map_release(&nodes->old);
		nodes->old = nodes->young;
		map_init(&nodes->young);
	}
	map_put(&nodes->young, autograd_node_key(node), &added)->value = module;
}

bool autograd_nodes_find(const struct autograd_nodes *nodes, struct autograd_node node,
			 uint32_t *ret_module)
{
	const struct map_entry *entry = map_find(&nodes->young, autograd_node_key(node));

	if (!entry)
		entry = map_find(&nodes->old, autograd_node_key(node));
	if (!entry)
		return false;
	*ret_module = (uint32_t)entry->value;
	return true;
}
