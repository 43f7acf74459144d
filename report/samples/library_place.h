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
	bool of_cpu;   /* CPU time only; false: waits as well */
	bool is_users; /* no line: the user's own function is sought in whole stacks */
	bool is_whole; /* no line: a package's function is sought in whole stacks */
};

/* Samples at one place, where only some of all count. */
struct library_sample {
	uint64_t place, weight;
	double squares; /* of the weights of single samples */
	bool is_other;  /* what the chosen function must not have as much of */
};

/* For samples by line. Returns false if no function qualifies. Reads every row. */
bool library_place_find(const struct samples *samples, struct own *own,
			const struct library_caller *caller, struct library_place *ret_place);
/*
 * The same by these samples. If there are others, the function's share of them is less than half of
 * its share of the rest. `ret_share`: of the weight that is no other's; NULL: not wanted.
 */
bool library_place_find_in(const struct samples *samples, struct own *own,
			   const struct library_caller *caller, const struct library_sample *sample,
			   size_t count, struct library_place *ret_place, double *ret_share);

#define LIBRARY_PLACE_BYTES 192u
/* "sqlparse/engine/grouping.py:45 (group_order)": the path begins behind site-packages. */
void library_place_text(const struct source *source, const struct library_place *place,
			char text[LIBRARY_PLACE_BYTES]);

#endif
