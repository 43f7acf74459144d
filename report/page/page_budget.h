/* SPDX-License-Identifier: MIT */
/*
 * How many bytes of a page each of its parts may have. Parts are made one after the other; each may use what is left, less what
 * is kept for those after it: a share of the whole. Within a part each piece leaves the pieces after it their least. A part
 * that does not fit is thinned by who makes it, and says so. One thread; nothing is owned.
 */
#ifndef REPORT_PAGE_PAGE_BUDGET_H
#define REPORT_PAGE_PAGE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_BYTES_MAX 25000000u /* of the file */
#define PAGE_BYTES_LEAST 450000u /* a smaller budget counts as this */
#define PAGE_BYTES_FRAME 400000u /* kept for style, script and the list of pieces */
#define PAGE_PIECE_LEAST 12000u  /* kept for a piece, where there is as much */

/* In the order in which they are made. */
enum page_part { PAGE_TABLES, PAGE_FLAMES, PAGE_MEMORY, PAGE_TIMELINE, PAGE_COMPARE, PAGE_PARTS };

struct page_budget {
	uint64_t left;             /* of the page, for pieces */
	uint64_t kept[PAGE_PARTS]; /* for parts that have not begun */
};

void page_budget_init(struct page_budget *budget, uint64_t bytes, bool compares);
/* The part begins; what was kept for it and those before it is free. */
void page_budget_begin(struct page_budget *budget, enum page_part part);
/* Bytes that the part under way may still use. */
uint64_t page_budget_left(const struct page_budget *budget);
/*
 * How many of these bytes the next piece may use if `pieces` pieces, this one included, are still
 * to come.
 */
uint64_t page_budget_room(const struct page_budget *budget, size_t pieces);
void page_budget_use(struct page_budget *budget, uint64_t bytes);

#endif
