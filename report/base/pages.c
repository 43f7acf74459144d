/* SPDX-License-Identifier: MIT */
/* Numbers by index, in pages that are allocated when a number in them is first set. */
#include "report/base/pages.h"

#include <stdlib.h>

#include "report/base/memory.h"

void pages_release(struct pages *pages)
{
	for (size_t i = 0; i < pages->room; i++)
		free(pages->page[i]);
	free(pages->page);
	*pages = (struct pages){ 0 };
}

uint32_t *pages_place(struct pages *pages, uint32_t index)
{
	size_t page = index >> PAGES_BITS;

	pages->page = memory_room(pages->page, page, &pages->room, sizeof(*pages->page));
	if (!pages->page[page])
		pages->page[page] = memory_zero(1u << PAGES_BITS, sizeof(**pages->page));
	return &pages->page[page][index & ((1u << PAGES_BITS) - 1)];
}
