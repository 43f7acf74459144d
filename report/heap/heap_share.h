/* SPDX-License-Identifier: MIT */
/*
 * What part of the allocations has a stack (report/stacks/stack_share.h), of a heap by stack that
 * was read to its end; nothing of others.
 */
#ifndef REPORT_HEAP_HEAP_SHARE_H
#define REPORT_HEAP_HEAP_SHARE_H

#include "report/core/report_kind.h"
#include "report/heap/heap.h"
#include "report/heap/stack_sums.h"

/*
 * A sentence, with the part of the bytes by that weight; nothing where no allocation has a stack.
 */
void heap_share_print(const struct heap *heap, enum stack_weight weight,
		      const struct screen *screen);

/* The same as totals of a report by stack. */
void heap_share_total(const struct heap *heap, struct facts *facts);

#endif
