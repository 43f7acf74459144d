/* SPDX-License-Identifier: MIT */
/*
 * Memory over time as a piece of a page: the heap of all processes, resident memory of each,
 * tensors of each device.
 */
#ifndef REPORT_PAGE_PAGE_MEMORY_H
#define REPORT_PAGE_PAGE_MEMORY_H

#include "report/heap/heap_events.h"
#include "report/heap/resident.h"
#include "report/page/page.h"
#include "report/tensors/tensor_events.h"

struct page_memory {
	const struct heap *heap;
	const struct resident *resident;
	const struct tensors *tensors;
};

void page_memory_want(struct page_memory *memory, struct page *page);
void page_memory_put(const struct page_memory *memory, struct page *page);

#endif
