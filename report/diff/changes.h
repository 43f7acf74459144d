/* SPDX-License-Identifier: MIT */
/* The changes of a comparison as rows of report `diff`: which ones, and in which order. */
#ifndef REPORT_DIFF_CHANGES_H
#define REPORT_DIFF_CHANGES_H

#include "report/diff/joined.h"

struct one_change {
	struct change change;
	enum report_id report;
	const char *row; /* NULL: a total */
	const char *metric;
	enum unit unit;
	size_t group; /* changes of one group are sorted by size */
};

/* Texts of rows belong to `joined`, which must live as long. */
struct changes {
	struct one_change *change;
	size_t count, room;
};

/* Adds nothing if neither side has a value, or if nothing changed and `keeps_same` is false. */
void changes_add(struct changes *changes, const struct one_change *change, bool keeps_same);
/*
 * Sorts the changes from `from` on: those that may be noise come last, the larger change first.
 * Keeps at most `most` of them.
 */
void changes_arrange(struct changes *changes, size_t from, size_t most);
/* Puts the rows into the table. `paths`: each row under the name that --fail-if uses for it. */
void changes_fill(const struct changes *changes, struct table *table, bool paths);
void changes_release(struct changes *changes);

#endif
