/* SPDX-License-Identifier: MIT */
/* A binary heap of runs. Its top is the run that is being followed. */
#include "report/session/merge.h"

#include <stdlib.h>

#include "collector/format/error.h"
#include "report/base/store.h"

static bool entry_before(const struct merge_entry *a, const struct merge_entry *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

static void merge_sift_down(struct merge *merge, struct merge_entry entry)
{
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= merge->count)
			break;
		if (child + 1 < merge->count &&
		    entry_before(&merge->entry[child + 1], &merge->entry[child]))
			child++;
		if (!entry_before(&merge->entry[child], &entry))
			break;
		merge->entry[at] = merge->entry[child];
		at = child;
	}
	merge->entry[at] = entry;
}

void merge_release(struct merge *merge)
{
	free(merge->entry);
	*merge = (struct merge){ 0 };
}

static struct merge_entry entry_of(struct merge_run *run)
{
	uint64_t time_ns = run->heap_at < merge_run_heap_end(run, run->at)
				   ? run->block->heap[run->heap_at].time_ns
				   : run->at->time_ns;

	return (struct merge_entry){ merge_time(time_ns, run->offset_ns), run->order, run };
}

int merge_add(struct merge *merge, struct merge_run *run)
{
	struct merge_entry entry = entry_of(run);
	int error = array_reserve(&merge->entry, merge->count, &merge->room, sizeof(*merge->entry));
	size_t at = merge->count;

	if (error)
		return error;
	merge->count++;
	for (; at > 0 && entry_before(&entry, &merge->entry[(at - 1) / 2]); at = (at - 1) / 2)
		merge->entry[at] = merge->entry[(at - 1) / 2];
	merge->entry[at] = entry;
	return EVT_OK;
}

struct merge_run *merge_first(const struct merge *merge, uint64_t *ret_until_ns)
{
	const struct merge_entry *entry = merge->entry, *second;
	uint64_t until;

	if (!merge->count)
		return NULL;
	if (merge->count == 1) {
		*ret_until_ns = UINT64_MAX;
		return entry[0].run;
	}
	second = merge->count > 2 && entry_before(&entry[2], &entry[1]) ? &entry[2] : &entry[1];
	/* at equal times the order of the runs decides */
	until = second->time_ns;
	if (entry[0].order < second->order && until != UINT64_MAX)
		until++;
	*ret_until_ns = until;
	return entry[0].run;
}

void merge_settle(struct merge *merge)
{
	struct merge_run *run = merge->entry[0].run;

	if (!merge_run_is_over(run)) {
		merge_sift_down(merge, entry_of(run));
		return;
	}
	merge->count--;
	if (merge->count)
		merge_sift_down(merge, merge->entry[merge->count]);
}
