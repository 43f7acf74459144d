/* SPDX-License-Identifier: MIT */
/*
 * What a row is linked to, as a line of code to the lines that called it: for each row and kind of
 * link, the target with the greatest sum of weights. Rows, kinds and targets are numbers of the
 * caller's. Memory grows with distinct pairs of row and target. One thread.
 */
#ifndef REPORT_BASE_ROW_LINKS_H
#define REPORT_BASE_ROW_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/base/map.h"

struct row_links {
	struct map sums; /* row, kind and target to the sum of weights */
	struct map most; /* row and kind to the target with the greatest sum */
};

void row_links_init(struct row_links *links);
void row_links_release(struct row_links *links);
void row_links_add(struct row_links *links, uint64_t row, unsigned int kind, uint64_t target,
		   uint64_t weight);
/*
 * The target that was added with the greatest sum of weights, the first of equals; false: there is
 * none.
 */
bool row_links_most(const struct row_links *links, uint64_t row, unsigned int kind,
		    uint64_t *ret_target);

#endif
