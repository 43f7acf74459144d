/* SPDX-License-Identifier: MIT */
/*
 * Percentiles of 64-bit numbers within 1 %. Buckets are 1/64 of a power of two wide and stand for
 * their middle, so that the relative error is at most 1/128. Memory: 8 bytes for each bucket in
 * use, and, if there are more than a few, for up to eight empty ones between two of them. There are
 * at most 3776, and none before the first sample.
 */
#ifndef REPORT_BASE_HISTOGRAM_H
#define REPORT_BASE_HISTOGRAM_H

#include <stdint.h>

struct histogram {
	uint64_t *
		/* sorted: bucket in the upper 16 bits; samples in the lower 48, which may be 0 */
		slot;
	uint16_t used, room;
	uint16_t last; /* the slot used last */
};

void histogram_release(struct histogram *histogram);
void histogram_add(struct histogram *histogram, uint64_t value, uint64_t samples);
void histogram_merge(struct histogram *into, const struct histogram *from);
/*
 * The smallest value that at least `percent` % of the samples do not exceed (nearest rank); 0
 * without samples.
 */
uint64_t histogram_percentile(const struct histogram *histogram, double percent);

#endif
