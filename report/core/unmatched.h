/* SPDX-License-Identifier: MIT */
/*
 * Footnotes on events whose counterpart is not in the recording: what the totals frees_unmatched,
 * address_reused, unmatched and unbalanced mean. Each is a sentence below the table; nothing is
 * printed if the count is 0.
 */
#ifndef REPORT_CORE_UNMATCHED_H
#define REPORT_CORE_UNMATCHED_H

#include <stdint.h>

#include "report/core/analysis.h"
#include "report/table/export.h"

/*
 * Frees of blocks whose allocation is not recorded, and blocks that were allocated twice without a
 * free.
 */
void unmatched_print_blocks(const struct screen *screen, const struct run *run, uint64_t frees,
			    uint64_t reused);
/* Ends without a begin; `what` is the word for one of them: "operator". */
void unmatched_print_ends(const struct screen *screen, uint64_t ends, const char *what);

#endif
