/* SPDX-License-Identifier: MIT */
/*
 * Finds the function of an installed package in which a line of the user's own code spends its
 * time: the deepest one that is in at least half of the line's samples, beyond chance if there is
 * one. Python's own library is left out, and so are functions that only call others
 * (trampolines.def).
 */
#ifndef REPORT_SAMPLES_LIBRARY_PLACE_H
#define REPORT_SAMPLES_LIBRARY_PLACE_H

#include "report/core/own.h"
#include "report/samples/sample_events.h"

struct library_place {
	uint32_t file, function; /* indices of names */
	uint32_t number;         /* the function's line with most of that time */
};

/* A line of the user's own code, and which part of its time counts. */
struct library_caller {
	uint32_t file, number;
	bool of_cpu; /* CPU time only; false: waits as well */
};

/* For samples by line. Returns false if no function qualifies. Reads every row. */
bool library_place_find(const struct samples *samples, struct own *own,
			const struct library_caller *caller, struct library_place *ret_place);

#define LIBRARY_PLACE_BYTES 192u
/* "sqlparse/engine/grouping.py:45 (group_order)": the path begins behind site-packages. */
void library_place_text(const struct source *source, const struct library_place *place,
			char text[LIBRARY_PLACE_BYTES]);

#endif
