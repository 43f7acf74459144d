/* SPDX-License-Identifier: MIT */
/* Divides the bytes of a page among its parts, by fixed shares. */
#include "report/page/page_budget.h"

/*
 * One part in this many of the whole is reserved for each, so that no earlier part can use
 * everything.
 */
static const unsigned int shares[PAGE_PARTS] = {
	[PAGE_TABLES] = 4,  [PAGE_RANKS] = 64,   [PAGE_FLAMES] = 8,
	[PAGE_MEMORY] = 16, [PAGE_TIMELINE] = 3, [PAGE_COMPARE] = 8,
};

void page_budget_init(struct page_budget *budget, uint64_t bytes, bool compares)
{
	bytes = bytes < PAGE_BYTES_LEAST ? PAGE_BYTES_LEAST : bytes;
	budget->left = bytes - PAGE_BYTES_FRAME;
	for (unsigned int part = 0; part < PAGE_PARTS; part++)
		budget->kept[part] = budget->left / shares[part];
	if (!compares)
		budget->kept[PAGE_COMPARE] = 0;
}

void page_budget_begin(struct page_budget *budget, enum page_part part)
{
	for (unsigned int i = 0; i <= part; i++)
		budget->kept[i] = 0;
}

uint64_t page_budget_left(const struct page_budget *budget)
{
	uint64_t kept = 0;

	for (unsigned int part = 0; part < PAGE_PARTS; part++)
		kept += budget->kept[part];
	return budget->left > kept ? budget->left - kept : 0;
}

uint64_t page_budget_room(const struct page_budget *budget, size_t pieces)
{
	uint64_t left = page_budget_left(budget), least = pieces ? left / pieces : 0;

	least = least < PAGE_PIECE_LEAST ? least : PAGE_PIECE_LEAST;
	return pieces ? left - least * (pieces - 1) : left;
}

void page_budget_use(struct page_budget *budget, uint64_t bytes)
{
	budget->left -= bytes < budget->left ? bytes : budget->left;
}
