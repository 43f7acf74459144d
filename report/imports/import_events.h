/* SPDX-License-Identifier: MIT */
/*
 * Python's imports, as an analysis of a run. They are ranges that nest per thread
 * (ranges/ranges.h), grouped by their path. For each row it keeps which line imported it first.
 * Memory grows with rows. To be used by one thread.
 */
#ifndef REPORT_IMPORTS_IMPORT_EVENTS_H
#define REPORT_IMPORTS_IMPORT_EVENTS_H

#include "report/core/analysis.h"
#include "report/ranges/ranges.h"

/* Belongs to a row of the ranges. */
struct import_origin {
	bool is_known;
	uint32_t file; /* index of a name, which may be empty */
	uint64_t line; /* 0: not known */
	uint64_t failed;
	struct work self; /* without the work of imports inside */
};

struct imports {
	struct ranges ranges;
	struct import_origin *origin; /* by row */
	size_t origin_room;
	struct work *inside; /* by open import: the work of imports directly inside */
	size_t inside_room;
};

struct imports_options {
	uint32_t work; /* kinds of work that occurred inside, bits WORK_BIT() */
};
ANALYSIS(imports, struct imports)

#endif
