/* SPDX-License-Identifier: MIT */
/*
 * The difference of two flame graphs, as a picture and as data: what each function had before and
 * after, with what it called. It is made of the tables of report `flame` of all sides, so its sums
 * are theirs. One thread.
 */
#ifndef REPORT_DIFF_DIFF_FLAME_H
#define REPORT_DIFF_DIFF_FLAME_H

#include <stdio.h>

#include "report/diff/diff_tree.h"
#include "report/diff/sides.h"

struct diff_flame {
	struct diff_tree tree;
	uint32_t *order; /* its nodes without the root */
	enum unit unit;
	char title[256], subtitle[512];
};

/* `place`: a report flame of the batches, which are read. */
void diff_flame_make(struct diff_flame *flame, const struct sides *sides, size_t place);
void diff_flame_release(struct diff_flame *flame);

/* One SVG that needs nothing else; the width of a function is what it has before and after. */
void diff_flame_write_svg(const struct diff_flame *flame, FILE *out);
/* `outermost;...;innermost BEFORE AFTER` a line. */
void diff_flame_write_folded(const struct diff_flame *flame, FILE *out);
/*
 * A JSON document for the page, without the smallest functions if there are more than `most`; what
 * they have counts in the functions around them. Returns how many it has.
 */
size_t diff_flame_write_json(const struct diff_flame *flame, FILE *out, size_t most);

#endif
