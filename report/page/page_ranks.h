/* SPDX-License-Identifier: MIT */
/*
 * Ranks by steps, as piece "ranks" of a page, if there are two ranks or more:
 *
 *   {"ranks": [[first, last], ...], "steps": [[first, last], ...], "median_us": us,
 *    "own_us": [us or null, ...], "slowest": [rank or null, ...]}
 *
 * The last two are row by row, a row for each entry of "ranks": report/ranks/rank_heat.h.
 */
#ifndef REPORT_PAGE_PAGE_RANKS_H
#define REPORT_PAGE_PAGE_RANKS_H

#include "report/page/page.h"
#include "report/ranks/rank_heat.h"

struct page_ranks {
	const struct steps *steps;
	const struct collectives *collectives;
};

void page_ranks_want(struct page_ranks *ranks, struct page *page);
void page_ranks_put(const struct page_ranks *ranks, struct page *page);

#endif
