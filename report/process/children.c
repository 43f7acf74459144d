/* SPDX-License-Identifier: MIT */
/* Children that were not recorded: see children.h. */
#include "report/process/children.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

static bool is_same_host(const struct source_process *a, const struct source_process *b)
{
	const char *left = a->file->host, *right = b->file->host;

	return a->file == b->file || (left && right && !strcmp(left, right));
}

/* Who may have counted `child`, whose parent is not recorded: the youngest that lived all of its life. */
static const struct source_process *find_ancestor(struct source_process *const *process,
						  size_t count, const struct source_process *child)
{
	const struct source_process *found = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct source_process *other = process[i];

		if (other == child || other->start_ns > child->start_ns ||
		    other->end_ns < child->end_ns || other->children_ns < child->cpu_ns ||
		    !is_same_host(other, child))
			continue;
		if (!found || other->start_ns > found->start_ns)
			found = other;
	}
	return found;
}

uint64_t children_not_recorded_ns(const struct source *source)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);
	uint64_t *recorded_ns = memory_zero(count + 1, sizeof(*recorded_ns)), sum_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct source_process *parent = process[i]->parent;

		if (!process[i]->ended)
			continue;
		if (!parent)
			parent = find_ancestor(process, count, process[i]);
		if (parent)
			recorded_ns[parent->index] += process[i]->cpu_ns + process[i]->children_ns;
	}
	for (size_t i = 0; i < count; i++)
		if (process[i]->children_ns > recorded_ns[process[i]->index])
			sum_ns += process[i]->children_ns - recorded_ns[process[i]->index];
	free(recorded_ns);
	return sum_ns;
}
