/* SPDX-License-Identifier: MIT */
/* Columns of lines that take more reading than samples: they are filled where somebody looks at them. */
#ifndef REPORT_SAMPLES_LINE_COLUMNS_H
#define REPORT_SAMPLES_LINE_COLUMNS_H

#include "report/options/options.h"

/* --source is given, or --columns, --sort or --filter has one of these words in it. NULL ends them. */
bool line_columns_are_wanted(const struct options *options, const char *const *words);

#endif
