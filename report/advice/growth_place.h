/* SPDX-License-Identifier: MIT */
/*
 * Which function asks for what of the heap grows from step to step, as report leaks has it: the user's own one where a stack
 * has one. Names functions of the whole heap: only for advice that applies.
 */
#ifndef REPORT_ADVICE_GROWTH_PLACE_H
#define REPORT_ADVICE_GROWTH_PLACE_H

#include "report/advice/bottleneck.h"

#define GROWTH_PLACE_BYTES 480u

/* A sentence for advice, and the place where it is the user's; false: nothing is known to grow in each part of the steps. */
bool growth_place_find(const struct bottleneck *bottleneck, struct advice_place *ret_place,
		       char text[GROWTH_PLACE_BYTES]);
/* The same without steps: the bytes that were never freed, of a place that grows in each part of the allocations; 0: none. */
uint64_t growth_place_kept(const struct bottleneck *bottleneck, struct advice_place *ret_place,
			   char text[GROWTH_PLACE_BYTES]);

#endif
