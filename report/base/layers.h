/* SPDX-License-Identifier: MIT */
/*
 * What a sum consists of over time, in bounded memory: at each of at most LAYERS_MOMENTS moments the largest rows, exactly
 * as they were then, and the sum of all. Moments lie on a grid whose width doubles whenever there are too many; where nothing
 * changes for longer than that there is none, and the one before holds on.
 *
 * Rows are numbers of the owner's; one that is not among a moment's largest is in the rest of its sum. One thread.
 */
#ifndef REPORT_BASE_LAYERS_H
#define REPORT_BASE_LAYERS_H

#include <stddef.h>
#include <stdint.h>

#define LAYERS_MOMENTS 192u
#define LAYERS_PARTS 384u /* rows of a moment */
#define LAYERS_NEVER UINT64_MAX

struct layers_part {
	uint64_t value;
	uint32_t row;
};

struct layers_moment {
	uint64_t time_ns, all;
	struct layers_part *part; /* owned; the largest first */
	uint32_t count;
};

struct layers {
	uint64_t width_ns,
		due_ns; /* a look is to be taken before anything that comes at due_ns or later */
	struct layers_moment moment[LAYERS_MOMENTS];
	size_t count;
};

void layers_init(struct layers *layers);
void layers_release(struct layers *layers);

/* Value of a row of the owner's. */
typedef uint64_t layers_value(const void *owner, size_t row);

/*
 * The state from due_ns on until time_ns, which is not before it: before what comes then is taken. `all` is the sum of the rows or
 * more: the rest has no row.
 */
void layers_look(struct layers *layers, uint64_t time_ns, uint64_t all, const void *owner,
		 size_t rows, layers_value *value);
/* The state at the end. */
void layers_end(struct layers *layers, uint64_t end_ns, uint64_t all, const void *owner,
		size_t rows, layers_value *value);

#endif
