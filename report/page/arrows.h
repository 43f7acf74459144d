/* SPDX-License-Identifier: MIT */
/*
 * Arrows of the timeline in bounded memory: from a call to the GPU work that it caused, from an
 * operator to its backward. They are the flows of a trace.
 *
 * If there are too many, every second one is dropped, repeatedly, so that those that stay are
 * spread over the run. One thread.
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
	uint64_t all;  /* number of all arrows */
	uint64_t step; /* one in `step` is kept */
};

/* All zeros is empty. */
void arrows_add(struct arrows *arrows, const struct arrow *arrow);
/* Drops every second arrow. */
void arrows_halve(struct arrows *arrows);
/* Call after the last one: sorts them by begin, and limits times to end_ns. */
void arrows_settle(struct arrows *arrows, uint64_t end_ns);
/* [[from lane], [from, after the previous one], [to lane], [to, after its begin]] */
void arrows_put(const struct arrows *arrows, FILE *out);
void arrows_release(struct arrows *arrows);

#endif
