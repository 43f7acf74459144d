/* SPDX-License-Identifier: MIT */
/*
 * The footnotes on events whose counterpart is not in the recording: what the numbers frees_unmatched, address_reused,
 * unmatched and unbalanced of the totals mean. Each is a sentence behind the table, and nothing when the count is 0.
 */
#ifndef REPORT_CORE_UNMATCHED_H
#define REPORT_CORE_UNMATCHED_H

#include <stdint.h>

#include "report/table/export.h"

/* Frees of blocks that were never allocated, and blocks that were allocated twice without a free. */
void unmatched_print_blocks(const struct screen *screen, uint64_t frees, uint64_t reused);
/* Ends without a begin; `what` is one of them: "operator". */
void unmatched_print_ends(const struct screen *screen, uint64_t ends, const char *what);

#endif
