/* SPDX-License-Identifier: MIT */
/*
 * Arrows of the timeline in bounded memory: from a call to what the GPU did for it, from an operator to its backward. They are
 * the flows of a trace.
 *
 * When there are too many, every second one stays, again and again: those that stay are spread over the run. One thread.
 */
#ifndef REPORT_PAGE_ARROWS_H
#define REPORT_PAGE_ARROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARROWS_MAX 131072u

struct arrow {
	uint64_t from_ns, to_ns;
	uint32_t from_lane, to_lane;
};

struct arrows {
	struct arrow *arrow;
	size_t count, room;
	uint64_t all;  /* that came */
	uint64_t step; /* every so many are kept */
};

/* All zero is an empty one. */
void arrows_add(struct arrows *arrows, const struct arrow *arrow);
/* Every second one of those that are there. */
void arrows_halve(struct arrows *arrows);
/* After the last one: in the order of their begins; nothing is later than end_ns. */
void arrows_settle(struct arrows *arrows, uint64_t end_ns);
/* [[from lane], [from, after the one before], [to lane], [to, after its begin]] */
void arrows_put(const struct arrows *arrows, FILE *out);
void arrows_release(struct arrows *arrows);

#endif
