/* SPDX-License-Identifier: MIT */
/*
 * A flame graph as one self-contained SVG: a click zooms, a field searches by regular expression, a
 * tooltip shows value and share. Frames narrower than a tenth of a pixel, or deeper than
 * FLAME_DEPTH_MAX, are left out. Names are escaped, whatever they contain.
 */
#ifndef REPORT_STACKS_FLAME_SVG_H
#define REPORT_STACKS_FLAME_SVG_H

#include <stdio.h>

#include "report/base/units.h"
#include "report/stacks/stack_tree.h"

#define FLAME_DEPTH_MAX 1024u

struct flame_text {
	const char *title, *subtitle;
	enum unit unit;
	const char *legend; /* a line below the subtitle; NULL: none */
	const char *style;  /* CSS of the classes of boxes; NULL: warm colours h0 to h11 */
};

/*
 * A flame graph of other trees, such as the difference of two: flame_svg_count() for each box but
 * the root, flame_svg_begin(), flame_svg_put() for the root and each box that is drawn,
 * flame_svg_end().
 */
struct flame_svg {
	FILE *out;
	const struct flame_text *text;
	unsigned int depth; /* of the deepest box that is drawn */
	size_t left_out;
};

struct flame_box {
	double left, share; /* of the whole width */
	unsigned int depth;
	const char *name;
	const char *value; /* for the tooltip; contains no parentheses */
	const char *hue;   /* CSS class */
	const char *mark;  /* at most 6 characters in front of the name; NULL: none */
	const char *data;  /* more attributes, each with a space in front; NULL: none */
};

bool flame_svg_is_drawn(unsigned int depth, double share);
void flame_svg_count(struct flame_svg *svg, unsigned int depth, double share);
void flame_svg_begin(const struct flame_svg *svg);
void flame_svg_put(const struct flame_svg *svg, const struct flame_box *box);
void flame_svg_end(const struct flame_svg *svg);

/* All of these, for a tree of stacks. */
void flame_svg_write(FILE *out, const struct stack_tree *tree, const struct flame_text *text);

#endif
