/* SPDX-License-Identifier: MIT */
/*
 * What memory consisted of over time, as pieces of a page: the heap by Python line and by function,
 * tensors by operator.
 *
 *   {"title": text, "times": [ns, ...], "all": [bytes, ...], "names": [text, ...],
 *    "parts": [[[number of a name, ...], [bytes, ...]], ...]}
 *
 * Each moment has the largest parts at that time, in descending order. The difference to `all` is
 * the rest.
 */
#ifndef REPORT_PAGE_PAGE_LAYERS_H
#define REPORT_PAGE_PAGE_LAYERS_H

#include "report/heap/heap_events.h"
#include "report/page/page.h"
#include "report/tensors/categories.h"
#include "report/tensors/tensor_events.h"

struct page_layers {
	struct heap *heap; /* by stack */
	struct tensors *tensors;
	struct categories *categories; /* of tensors */
};

void page_layers_want(struct page_layers *layers, struct page *page);
void page_layers_put(const struct page_layers *layers, struct page *page);

#endif
