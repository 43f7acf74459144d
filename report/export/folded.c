/* SPDX-License-Identifier: MIT */
/*
 * Stacks as lines, `outermost;...;innermost VALUE`. `export folded` is for flamegraph.pl, inferno
 * and others. `export stacks` is the format of torch.profiler's export_stacks(), whose names have
 * no spaces.
 */
#include "report/export/stack_export.h"

#include <stdlib.h>

#include "report/base/memory.h"

static void folded_put_line(struct stack_export *it, const uint32_t *path,
			    const struct tree_node *node, bool has_no_spaces)
{
	for (uint32_t depth = 1; depth <= node->depth; depth++) {
		char shown[NAMED_TEXT_FRAME_MAX];
		size_t length = named_frame_text(shown, tree_name(&it->tree, path[depth]));

		for (size_t i = 0; has_no_spaces && i < length; i++)
			if (shown[i] == ' ')
				shown[i] = '_';
		if (depth > 1)
			sink_put(it->sink, ";", 1);
		sink_put(it->sink, shown, length);
	}
	sink_put(it->sink, " ", 1);
	sink_unsigned(it->sink, node->self);
	sink_put(it->sink, "\n", 1);
}

static int write_lines(struct report_request *request, bool has_no_spaces)
{
	struct stack_export it;
	int status = stack_export_begin(&it, request, TREE_BY_NAME, false);
	uint32_t *path = memory_zero(it.tree.count + 1, sizeof(*path));

	for (size_t i = 0; !status && i + 1 < it.tree.count; i++) {
		const struct tree_node *node = &it.tree.node[it.order[i]];

		path[node->depth] = it.order[i];
		if (node->self)
			folded_put_line(&it, path, node, has_no_spaces);
	}
	free(path);
	return stack_export_end(&it, status);
}

int export_folded_stacks(struct report_request *request)
{
	return write_lines(request, false);
}

int export_torch_stacks(struct report_request *request)
{
	return write_lines(request, true);
}
