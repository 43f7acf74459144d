/* SPDX-License-Identifier: MIT */
/*
 * Where what stays is allocated: the line of the user's own code where a stack has one, else the
 * function, as report leaks --by line has it. Names the stacks of all blocks: only for advice that
 * applies.
 */
#ifndef REPORT_ADVICE_GROWTH_PLACE_H
#define REPORT_ADVICE_GROWTH_PLACE_H

#include "report/advice/bottleneck.h"

struct growth_place {
	bool is_found;
	double per_step; /* bytes; 0: there are no steps */
	uint64_t bytes,
		/* that were never freed; as many as were allocated where all were freed later */
		blocks;
	uint64_t since_ns; /* the first block */
	bool is_autograd;  /* it makes nodes of autograd's graph */
};

/*
 * The place that grows most of what grows steadily over the steps. Where blocks are few, as arenas
 * are (`is_coarse`), the place that grows most in all. Appends a sentence to the advice and sets
 * its place.
 */
struct growth_place growth_place_say(const struct bottleneck *bottleneck,
				     const struct growth *growth, bool is_coarse,
				     struct advice *advice);

/*
 * Without steps: the place of the user's own code that has kept most of what grows throughout the
 * run. Says it, and sets the place.
 */
struct growth_place growth_place_say_kept(const struct bottleneck *bottleneck,
					  const struct growth *growth, struct advice *advice);

/*
 * Without steps: the line of the user's own code in which most arenas were needed, if it has half
 * of them and needs them in the last third of the run. Appends a sentence to the advice and sets
 * its place.
 */
void growth_place_say_arenas(const struct bottleneck *bottleneck, const struct growth *arenas,
			     struct advice *advice);

#endif
