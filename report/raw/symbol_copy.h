/* SPDX-License-Identifier: MIT */
/*
 * Copies a recording with other symbol frames. The new ones follow the schema, in place of the old
 * ones. All else is the same, byte for byte. The copy appears under its name when it is complete.
 * Until then, and if anything fails, an existing file with that name stays.
 */
#ifndef REPORT_RAW_SYMBOL_COPY_H
#define REPORT_RAW_SYMBOL_COPY_H

#include "report/raw/symbolize.h"

/* Returns 0, or -1 with one line in `message`. `path` and `copy` may be the same. */
int symbol_copy_write(const char *path, const char *copy, const struct symbolized *symbolized,
		      char *message, size_t message_bytes);

#endif
