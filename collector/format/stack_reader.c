/* SPDX-License-Identifier: MIT */
/* The table has three columns: parents, addresses, flags. */
#include "collector/format/stack_reader.h"

#include "collector/format/error.h"
#include "collector/format/stack_table.h"

/*
 * Callers are before the frames that they call, so one pass finds the depth of each. The flags hold
 * the depths meanwhile.
 */
static bool nodes_read_parents(struct cursor *c, uint32_t count, struct frame_node *node)
{
	for (uint32_t i = 1; i <= count; i++) {
		uint64_t back = get_varint(c);

		if (back == 0 || back > i)
			return false;
		node[i].parent = i - (uint32_t)back;
		node[i].flags = node[node[i].parent].flags + 1;
		if (node[i].flags > STACK_DEPTH_MAX)
			return false;
	}
	return true;
}

int stack_reader_read(struct cursor c, uint32_t count, struct frame_node *node)
{
	uint64_t address = 0;

	node[0] = (struct frame_node){ 0 };
	if (!nodes_read_parents(&c, count, node))
		return EVT_CORRUPT;
	for (uint32_t i = 1; i <= count; i++) {
		address += (uint64_t)unzigzag(get_varint(&c));
		node[i].address = address;
	}
	for (uint32_t i = 1; i <= count; i++) {
		uint64_t flags = get_varint(&c);

		if (flags > UINT32_MAX)
			return EVT_CORRUPT;
		node[i].flags = (uint32_t)flags;
	}
	return c.failed || c.at != c.end ? EVT_CORRUPT : 0;
}
