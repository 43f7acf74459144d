/* SPDX-License-Identifier: MIT */
/*
 * How many bytes of a page each of its parts may have. Parts are made one after the other. Each may
 * use what is left, minus the shares reserved for later parts. Within a part, each piece leaves the
 * minimum for the pieces after it. If a part does not fit, its maker thins it and says so. One
 * thread; nothing is owned.
 */
#ifndef REPORT_PAGE_PAGE_BUDGET_H
#define REPORT_PAGE_PAGE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_BYTES_MAX 25000000u /* of the file */
#define PAGE_BYTES_LEAST 450000u /* a smaller budget is raised to this */
#define PAGE_BYTES_FRAME 400000u /* reserved for style, script and the list of pieces */
#define PAGE_PIECE_LEAST 12000u  /* reserved for a piece, if there is that much */

/* In the order in which they are made. */
enum page_part {
	PAGE_TABLES,
	PAGE_RANKS,
	PAGE_FLAMES,
	PAGE_MEMORY,
	PAGE_TIMELINE,
	PAGE_COMPARE,
	PAGE_PARTS
};

struct page_budget {
	uint64_t left;             /* of the page, for pieces */
	uint64_t kept[PAGE_PARTS]; /* reserved for parts that have not begun */
};

void page_budget_init(struct page_budget *budget, uint64_t bytes, bool compares);
/* The part begins; the reserve for it and for earlier parts is released. */
void page_budget_begin(struct page_budget *budget, enum page_part part);
/* Bytes that the current part may still use. */
uint64_t page_budget_left(const struct page_budget *budget);
/*
 * How many of these bytes the next piece may use if `pieces` pieces, including this one, are still
 * to come.
 */
uint64_t page_budget_room(const struct page_budget *budget, size_t pieces);
void page_budget_use(struct page_budget *budget, uint64_t bytes);

#endif
