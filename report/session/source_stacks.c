/* SPDX-License-Identifier: MIT */
/*
 * Converts the stacks of a frame, which are numbered per frame, to those of the source. Runs on the
 * thread that reads the source, whichever thread has decoded the frame.
 */
#include <stdlib.h>

#include "collector/format/error.h"
#include "report/base/memory.h"
#include "report/session/source_state.h"

static int file_stacks_reserve(struct file_row *file, const struct event_block *block)
{
	int error = array_reserve(&file->stack_of_node, block->nodes, &file->node_room,
				  sizeof(*file->stack_of_node));

	if (!error && block->kinds)
		error = array_reserve(&file->stack_of_kind, block->kinds - 1u, &file->kind_room,
				      sizeof(*file->stack_of_kind));
	if (!error && block->heap_sites)
		error = array_reserve(&file->site, block->heap_sites - 1u, &file->site_room,
				      sizeof(*file->site));
	return error;
}

int stacks_take(struct file_row *file, const struct reader_frame *frame)
{
	const struct event_block *block = frame->block;
	struct stacks *stacks = &file->source->stacks;
	int error;

	file->has_stacks = frame->block_count && block->node && file->source->wants.stacks;
	if (!file->has_stacks)
		return EVT_OK;
	error = file_stacks_reserve(file, block);
	if (error)
		return error;
	file->stack_of_node[0] = STACK_NONE;
	for (uint32_t i = 1; i <= block->nodes; i++) {
		const struct frame_node *node = &block->node[i];

		file->stack_of_node[i] = stacks_add(stacks, file->stack_of_node[node->parent],
						    node->address, node->flags);
	}
	for (uint32_t i = 0; i < block->kinds; i++)
		file->stack_of_kind[i] = file->stack_of_node[block->stack[i]];
	for (uint32_t i = 0; i < block->heap_sites; i++) {
		file->site[i] = block->heap_site[i];
		file->site[i].stack = file->stack_of_node[block->heap_site[i].stack];
	}
	return EVT_OK;
}

const struct stacks *source_stacks(const struct source *source)
{
	return &source->stacks;
}

uint32_t source_stack_or_caller(struct source *source, uint32_t stack, uint64_t caller)
{
	return stack != STACK_NONE || !caller ? stack
					      : stacks_add(&source->stacks, STACK_NONE, caller, 0);
}

uint32_t source_stack_under(struct source *source, uint32_t outer, uint32_t inner)
{
	struct stacks *stacks = &source->stacks;
	unsigned int depth = stacks_depth(stacks, inner);
	uint32_t *path = memory_zero(depth + 1, sizeof(*path)), joined = outer;

	for (unsigned int i = depth; i--; inner = stacks_frame(stacks, inner)->parent)
		path[i] = inner;
	for (unsigned int i = 0; i < depth; i++) {
		struct stack_frame frame = *stacks_frame(stacks, path[i]);

		joined = stacks_add(stacks, joined, frame.address, frame.flags);
		if (joined == STACK_NONE) /* no room */
			break;
	}
	inner = depth ? path[depth - 1] : STACK_NONE;
	free(path);
	return joined == STACK_NONE ? inner : joined;
}
