/* SPDX-License-Identifier: MIT */
/*
 * A copy of a recording with other symbol frames: they stand behind the schema, in the place of those that stood there; all else
 * is the same, byte for byte. The copy appears under its name when it is complete; until then, and when anything fails, what had
 * that name stays.
 */
#ifndef REPORT_RAW_SYMBOL_COPY_H
#define REPORT_RAW_SYMBOL_COPY_H

#include "report/raw/symbolize.h"

/* 0, or -1 with one line in `message`. `path` and `copy` may be the same. */
int symbol_copy_write(const char *path, const char *copy, const struct symbolized *symbolized,
		      char *message, size_t message_bytes);

#endif
