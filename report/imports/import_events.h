/* SPDX-License-Identifier: MIT */
/*
 * Imports of Python as an analysis of a run: ranges that nest per thread (ranges/ranges.h), kept by their path, and beside
 * each row who imported it first. Memory grows with rows. One thread.
 */
#ifndef REPORT_IMPORTS_IMPORT_EVENTS_H
#define REPORT_IMPORTS_IMPORT_EVENTS_H

#include "report/core/analysis.h"
#include "report/ranges/ranges.h"

/* Beside a row of the ranges. */
struct import_origin {
	bool is_known;
	uint32_t file; /* index of a name, which may be empty */
	uint64_t line; /* 0: none */
	uint64_t failed;
	struct work self; /* without what imports inside did */
};

struct imports {
	struct ranges ranges;
	struct import_origin *origin; /* by row */
	size_t origin_room;
	struct work *inside; /* by open import: what those directly inside did */
	size_t inside_room;
};

struct imports_options {
	uint32_t work; /* what was done inside, bits WORK_BIT() */
};
ANALYSIS(imports, struct imports)

#endif
