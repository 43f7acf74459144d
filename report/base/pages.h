/* SPDX-License-Identifier: MIT */
/*
 * An array of 32-bit numbers whose indices are in clusters: 0 where none was set, and long
 * stretches of zeros take little memory. All zeros is empty. One thread.
 */
#ifndef REPORT_BASE_PAGES_H
#define REPORT_BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>

#define PAGES_BITS 8u /* 1 KiB per page */

struct pages {
	uint32_t **page; /* NULL: all zeros */
	size_t room;
};

void pages_release(struct pages *pages);
/* Returns the place of the index's number; valid until pages_release(). */
uint32_t *pages_place(struct pages *pages, uint32_t index);

static inline uint32_t pages_get(const struct pages *pages, uint32_t index)
{
	size_t page = index >> PAGES_BITS;

	return page < pages->room && pages->page[page]
		       ? pages->page[page][index & ((1u << PAGES_BITS) - 1)]
		       : 0;
}

#endif
