/* SPDX-License-Identifier: MIT */
/* What part of the allocations has a stack (report/stacks/stack_share.h), of a heap by stack that was read to its end; nothing of others. */
#ifndef REPORT_HEAP_HEAP_SHARE_H
#define REPORT_HEAP_HEAP_SHARE_H

#include "report/core/report_kind.h"
#include "report/heap/heap.h"

/* A sentence; nothing where no allocation has a stack. */
void heap_share_print(const struct heap *heap, const struct screen *screen);

/* The same as totals of a report by stack. */
void heap_share_total(const struct heap *heap, struct facts *facts);

#endif
