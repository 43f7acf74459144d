/* SPDX-License-Identifier: MIT */
/* Changes of a comparison as rows of report `diff`: which of them, in which order. */
#ifndef REPORT_DIFF_CHANGES_H
#define REPORT_DIFF_CHANGES_H

#include "report/diff/joined.h"

struct one_change {
	struct change change;
	enum report_id report;
	const char *row; /* NULL: a total */
	const char *metric;
	enum unit unit;
	size_t group; /* those of one are in order of size */
};

/* Texts of rows are those of `joined`, which lives as long. */
struct changes {
	struct one_change *change;
	size_t count, room;
};

/* Nothing when neither side has a value, or where `keeps_same` is false and nothing changed. */
void changes_add(struct changes *changes, const struct one_change *change, bool keeps_same);
/*
 * Sorts the changes from `from` on: those that may be noise come last, the larger change first.
 * Keeps at most `most` of them.
 */
void changes_arrange(struct changes *changes, size_t from, size_t most);
/* Rows of the table; `paths`: each under the name that --fail-if has for it. */
void changes_fill(const struct changes *changes, struct table *table, bool paths);
void changes_release(struct changes *changes);

#endif
