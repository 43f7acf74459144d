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
};

void flame_svg_write(FILE *out, const struct stack_tree *tree, const struct flame_text *text);

#endif
