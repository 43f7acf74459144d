/* SPDX-License-Identifier: MIT */
/* How many allocations have stacks: see heap_share.h. */
#include "report/heap/heap_share.h"

#include <stdlib.h>

#include "report/session/stacks.h"
#include "report/stacks/stack_share.h"

static void share_make(const struct heap *heap, struct stack_share *share)
{
	bool *is_cut = stacks_find_cut(source_stacks(heap->source));

	for (size_t i = 0; i < heap->row_count; i++) {
		const struct heap_row *row = &heap->row[i];

		stack_share_add(share, is_cut,
				estimate_is_caller(heap, row) ? STACK_NONE : (uint32_t)row->key,
				row->allocations);
	}
	free(is_cut);
}

/* There may be a million rows, and totals and foot both want it. */
static struct stack_share share_of(const struct heap *heap)
{
	if (!heap->share)
		return (struct stack_share){ 0, 0, 0 };
	if (!heap->share->all)
		share_make(heap, heap->share);
	return *heap->share;
}

void heap_share_print(const struct heap *heap, const struct screen *screen)
{
	struct stack_share share = share_of(heap);
	char text[STACK_SHARE_BYTES];

	if (stack_share_write(&share, "allocations", text))
		screen_print_prose(screen, "%s", text);
}

void heap_share_total(const struct heap *heap, struct facts *facts)
{
	struct stack_share share = share_of(heap);

	if (heap->by != HEAP_BY_STACK)
		return;
	facts_number(facts, "stacked_allocations", UNIT_COUNT, share.stacked);
	facts_number(facts, "cut_stacks", UNIT_COUNT, share.cut);
}
