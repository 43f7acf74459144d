/* SPDX-License-Identifier: MIT */
/* Columns of lines that need more events than samples: they are filled only if they are wanted. */
#ifndef REPORT_SAMPLES_LINE_COLUMNS_H
#define REPORT_SAMPLES_LINE_COLUMNS_H

#include "report/options/options.h"

/*
 * Returns true if --source is given, or if --columns, --sort or --filter contains one of these
 * words, which end with a NULL.
 */
bool line_columns_are_wanted(const struct options *options, const char *const *words);

#endif
