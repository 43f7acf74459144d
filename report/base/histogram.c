/* SPDX-License-Identifier: MIT */
/* Percentiles within 1 %: see histogram.h. */
#include "report/base/histogram.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define SUB_BITS 6 /* 64 buckets for each power of two */
#define SAMPLE_BITS 48
#define SAMPLE_MASK ((1ull << SAMPLE_BITS) - 1)

static uint32_t bucket_of(uint64_t value)
{
	unsigned int octave;

	if (value < 2u << SUB_BITS)
		return (uint32_t)value; /* exact */
	octave = 63 - (unsigned int)__builtin_clzll(value);
	return ((octave - SUB_BITS) << SUB_BITS) + (uint32_t)(value >> (octave - SUB_BITS));
}

static uint64_t bucket_middle(uint32_t bucket)
{
	unsigned int octave;
	uint64_t low;

	if (bucket < 2u << SUB_BITS)
		return bucket;
	octave = (bucket >> SUB_BITS) - 1;
	low = (uint64_t)((bucket & ((1u << SUB_BITS) - 1)) + (1u << SUB_BITS)) << octave;
	return low + ((1ull << octave) - 1) / 2;
}

void histogram_release(struct histogram *histogram)
{
	free(histogram->slot);
	*histogram = (struct histogram){ .slot = NULL };
}

/* First slot whose bucket is not below `bucket`. No branches: which way it goes is as good as random. */
static uint32_t histogram_search(const struct histogram *histogram, uint32_t bucket)
{
	uint64_t least = (uint64_t)bucket << SAMPLE_BITS;
	uint32_t low = 0, left = histogram->used;

	while (left > 1) {
		uint32_t half = left / 2;

		low += half & (0u - (uint32_t)(histogram->slot[low + half - 1] < least));
		left -= half;
	}
	return low + (left && histogram->slot[low] < least);
}

/* Where values are dense, buckets that are so far apart are as far apart in slots. False: it is elsewhere, or nowhere. */
static inline bool histogram_guess(const struct histogram *histogram, uint32_t bucket,
				   uint32_t *ret_at)
{
	uint32_t at = histogram->last + bucket;

	if (!histogram->used)
		return false;
	at -= (uint32_t)(histogram->slot[histogram->last] >> SAMPLE_BITS);
	if (at >= histogram->used || histogram->slot[at] >> SAMPLE_BITS != bucket)
		return false;
	*ret_at = at;
	return true;
}

static void histogram_insert(struct histogram *histogram, uint32_t at, uint64_t slot)
{
	if (histogram->used == histogram->room) {
		histogram->room = (uint16_t)(histogram->room ? histogram->room * 2 : 2);
		histogram->slot = memory_grow(histogram->slot, histogram->room,
					      sizeof(*histogram->slot));
	}
	memmove(&histogram->slot[at + 1], &histogram->slot[at],
		(histogram->used - at) * sizeof(*histogram->slot));
	histogram->slot[at] = slot;
	histogram->used++;
}

void histogram_add(struct histogram *histogram, uint64_t value, uint64_t samples)
{
	uint32_t bucket = bucket_of(value), at;

	if (!histogram_guess(histogram, bucket, &at))
		at = histogram_search(histogram, bucket);
	if (at < histogram->used && histogram->slot[at] >> SAMPLE_BITS == bucket)
		histogram->slot[at] += samples;
	else
		histogram_insert(histogram, at, (uint64_t)bucket << SAMPLE_BITS | samples);
	histogram->last = (uint16_t)at;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	for (uint32_t i = 0; i < from->used; i++)
		histogram_add(into, bucket_middle((uint32_t)(from->slot[i] >> SAMPLE_BITS)),
			      from->slot[i] & SAMPLE_MASK);
}

uint64_t histogram_percentile(const struct histogram *histogram, double percent)
{
	uint64_t samples = 0, rank, seen = 0;

	for (uint32_t i = 0; i < histogram->used; i++)
		samples += histogram->slot[i] & SAMPLE_MASK;
	rank = (uint64_t)ceil((double)samples * percent / 100);
	for (uint32_t i = 0; i < histogram->used; i++) {
		seen += histogram->slot[i] & SAMPLE_MASK;
		if (seen >= rank)
			return bucket_middle((uint32_t)(histogram->slot[i] >> SAMPLE_BITS));
	}
	return 0;
}
