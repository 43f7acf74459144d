/* SPDX-License-Identifier: MIT */
/*
 * Children that were not recorded: subtracts the CPU time of recorded children from the kernel's
 * sums.
 */
#include "report/process/children.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

struct children {
	uint64_t *recorded_ns;                /* by index of the parent */
	const struct source_process **parent; /* those that had children */
	size_t parent_count;
};

static bool is_same_host(const struct source_process *a, const struct source_process *b)
{
	const char *left = a->file->host, *right = b->file->host;

	return a->file == b->file || (left && right && !strcmp(left, right));
}

/*
 * Returns the process that may have counted `child`, whose parent is not recorded: the youngest
 * that was alive during its whole life.
 */
static const struct source_process *find_ancestor(const struct children *children,
						  const struct source_process *child)
{
	const struct source_process *found = NULL;

	for (size_t i = 0; i < children->parent_count; i++) {
		const struct source_process *other = children->parent[i];

		if (other == child || other->start_ns > child->start_ns ||
		    other->end_ns < child->end_ns || other->children_ns < child->cpu_ns ||
		    !is_same_host(other, child))
			continue;
		if (!found || other->start_ns > found->start_ns)
			found = other;
	}
	return found;
}

static void subtract(struct children *children, const struct source_process *child)
{
	const struct source_process *parent = child->parent;

	if (!parent)
		parent = find_ancestor(children, child);
	if (parent)
		children->recorded_ns[parent->index] += child->cpu_ns + child->children_ns;
}

bool children_not_recorded(const struct source *source, uint64_t *ret_ns)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);
	struct children children = {
		.recorded_ns = memory_zero(count + 1, sizeof(*children.recorded_ns)),
		.parent = memory_zero(count + 1, sizeof(*children.parent)),
	};
	bool is_told = false;

	*ret_ns = 0;
	for (size_t i = 0; i < count; i++) {
		is_told |= process[i]->has_usage;
		if (process[i]->children_ns)
			children.parent[children.parent_count++] = process[i];
	}
	for (size_t i = 0; i < count; i++)
		if (process[i]->ended)
			subtract(&children, process[i]);
	for (size_t i = 0; i < children.parent_count; i++) {
		const struct source_process *parent = children.parent[i];

		if (parent->children_ns > children.recorded_ns[parent->index])
			*ret_ns += parent->children_ns - children.recorded_ns[parent->index];
	}
	free(children.recorded_ns);
	free(children.parent);
	return is_told;
}
