/* SPDX-License-Identifier: MIT */
/*
 * Counts the rows with and without stacks once, because totals and the foot of the table both ask.
 */
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

/* Counted once: there may be a million rows, and totals and foot both ask. */
static struct stack_share share_of(const struct heap *heap)
{
	if (!heap->share)
		return (struct stack_share){ 0, 0, 0 };
	if (!heap->share->all)
		share_make(heap, heap->share);
	return *heap->share;
}

/*
 * Returns the share of the bytes in percent: few large blocks may have most of them, and large
 * blocks have stacks by default.
 */
static double share_of_bytes(const struct heap *heap, enum stack_weight weight)
{
	double stacked = 0, all = 0;

	for (size_t i = 0; i < heap->row_count; i++) {
		double bytes = (double)heap_row_weight(&heap->row[i], weight);

		all += bytes;
		stacked += heap->row[i].key && !estimate_is_caller(heap, &heap->row[i]) ? bytes : 0;
	}
	return all > 0 ? 100.0 * stacked / all : 0;
}

void heap_share_print(const struct heap *heap, enum stack_weight weight,
		      const struct screen *screen)
{
	struct stack_share share = share_of(heap);
	char text[STACK_SHARE_BYTES], percent[UNIT_TEXT_BYTES];

	if (!stack_share_write(&share, "allocations", text))
		return;
	if (share.stacked < share.all && !heap->estimate)
		screen_print_prose(screen, "%s; of the bytes shown here %s have one", text,
				   unit_format_percent(percent, share_of_bytes(heap, weight)));
	else
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
