/* SPDX-License-Identifier: MIT */
/*
 * A flame graph as one SVG that needs nothing else: a click zooms, a field searches by regular expression, a tooltip says value
 * and share. What would be narrower than a tenth of a pixel is left out, and what is deeper than FLAME_DEPTH_MAX.
 * Names are escaped, whatever they hold.
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
