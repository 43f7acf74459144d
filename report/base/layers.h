/* SPDX-License-Identifier: MIT */
/*
 * What a sum consists of over time, in bounded memory. At each of at most LAYERS_MOMENTS moments it
 * has the exact values of the largest rows, and the sum of all. Moments are on a grid whose width
 * doubles whenever there are too many. If nothing changes for longer than that, there is no moment,
 * and the previous one remains valid.
 *
 * Rows are the owner's numbers. A row that is not among a moment's largest is in the rest of its
 * sum. One thread.
 */
#ifndef REPORT_BASE_LAYERS_H
#define REPORT_BASE_LAYERS_H

#include <stddef.h>
#include <stdint.h>

#define LAYERS_MOMENTS 192u
#define LAYERS_PARTS 384u /* rows per moment */
#define LAYERS_NEVER UINT64_MAX

struct layers_part {
	uint64_t value;
	uint32_t row;
};

struct layers_moment {
	uint64_t time_ns, all;
	struct layers_part *part; /* owned; largest first */
	uint32_t count;
};

struct layers {
	uint64_t width_ns, due_ns; /* call layers_look() before any change at due_ns or later */
	struct layers_moment moment[LAYERS_MOMENTS];
	size_t count;
};

void layers_init(struct layers *layers);
void layers_release(struct layers *layers);

/* Returns the value of one of the owner's rows. */
typedef uint64_t layers_value(const void *owner, size_t row);

/*
 * Records the state from due_ns until time_ns, which must not be before it. Call before the changes
 * at time_ns. `all` is the sum of the rows or more: the rest has no row.
 */
void layers_look(struct layers *layers, uint64_t time_ns, uint64_t all, const void *owner,
		 size_t rows, layers_value *value);
/* Records the state at the end. */
void layers_end(struct layers *layers, uint64_t end_ns, uint64_t all, const void *owner,
		size_t rows, layers_value *value);

#endif
