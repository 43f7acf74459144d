/* SPDX-License-Identifier: MIT */
/* Bytes over time as a line of blocks. */
#ifndef REPORT_TABLE_CURVE_PRINT_H
#define REPORT_TABLE_CURVE_PRINT_H

#include "report/base/curve.h"
#include "report/table/export.h"

/*
 * `knows` tells whether anything is known of [from, to); NULL: everything is known. Nothing is
 * drawn where it is not.
 */
struct curve_extent {
	uint64_t peak, end_ns; /* value of the highest mark; time at the end of the line */
	bool (*knows)(const void *context, uint64_t from_ns, uint64_t to_ns);
	const void *context;
};
/* Prints bytes over time as one line of blocks; an empty line if there was nothing. */
void curve_print(const struct curve *curve, struct curve_extent extent, const struct screen *screen,
		 size_t width);

#endif
