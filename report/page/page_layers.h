/* SPDX-License-Identifier: MIT */
/*
 * What memory consisted of over time, as pieces of a page: the heap by line of Python and by function, tensors by operator.
 *
 *   {"title": text, "times": [ns, ...], "all": [bytes, ...], "names": [text, ...],
 *    "parts": [[[number of a name, ...], [bytes, ...]], ...]}
 *
 * Each moment has the most that lived then, the largest first; what is missing to `all` is the rest.
 */
#ifndef REPORT_PAGE_PAGE_LAYERS_H
#define REPORT_PAGE_PAGE_LAYERS_H

#include "report/heap/heap_events.h"
#include "report/page/page.h"
#include "report/tensors/tensor_events.h"

struct page_layers {
	struct heap *heap; /* by stack */
	struct tensors *tensors;
};

void page_layers_want(struct page_layers *layers, struct page *page);
void page_layers_put(const struct page_layers *layers, struct page *page);

#endif
