/* SPDX-License-Identifier: MIT */
/*
 * Percentiles within 1 %. Used buckets are in a sorted array; a guess finds most of them at once.
 */
#include "report/base/histogram.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define SUB_BITS 6 /* 64 buckets for each power of two */
#define SAMPLE_BITS 48
#define SAMPLE_MASK ((1ull << SAMPLE_BITS) - 1)
/* slots up to which no gaps are filled, so that few samples need little memory */
#define FILL_FROM 16u
#define GAP_MAX 8u

static uint32_t histogram_bucket_of(uint64_t value)
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

static inline uint32_t bucket_at(const struct histogram *histogram, uint32_t at)
{
	return (uint32_t)(histogram->slot[at] >> SAMPLE_BITS);
}

void histogram_release(struct histogram *histogram)
{
	free(histogram->slot);
	*histogram = (struct histogram){ .slot = NULL };
}

/*
 * Returns the first slot whose bucket is not below `bucket`. No branches, because the direction is
 * almost random.
 */
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

/*
 * Where values are dense, a distance in buckets is the same distance in slots. Returns false if it
 * is elsewhere, or nowhere.
 */
static inline bool histogram_guess(const struct histogram *histogram, uint32_t bucket,
				   uint32_t *ret_at)
{
	uint32_t at = histogram->last + bucket;

	if (!histogram->used)
		return false;
	at -= bucket_at(histogram, histogram->last);
	if (at >= histogram->used || bucket_at(histogram, at) != bucket)
		return false;
	*ret_at = at;
	return true;
}

static void histogram_make_room(struct histogram *histogram, uint32_t slots)
{
	uint32_t room = histogram->room ? histogram->room : 2;

	while (room < slots)
		room *= 2;
	if (room == histogram->room)
		return;
	histogram->slot = memory_grow(histogram->slot, room, sizeof(*histogram->slot));
	histogram->room = (uint16_t)room;
}

/*
 * Returns how many buckets between two of them get slots of their own, so that later guesses are
 * right.
 */
static uint32_t gap_between(const struct histogram *histogram, uint32_t low, uint32_t high)
{
	uint32_t gap = high - low - 1;

	return histogram->used >= FILL_FROM && gap <= GAP_MAX ? gap : 0;
}

/* Returns the slot that it gets. */
static uint32_t histogram_insert(struct histogram *histogram, uint32_t at, uint32_t bucket,
				 uint64_t samples)
{
	uint32_t used = histogram->used, below = 0, above = 0;
	uint64_t *slot;

	if (at > 0)
		below = gap_between(histogram, bucket_at(histogram, at - 1), bucket);
	if (at < used)
		above = gap_between(histogram, bucket, bucket_at(histogram, at));
	histogram_make_room(histogram, used + below + 1 + above);
	slot = &histogram->slot[at];
	memmove(slot + below + 1 + above, slot, (used - at) * sizeof(*slot));
	for (uint32_t i = 0; i < below + 1 + above; i++)
		slot[i] = (uint64_t)(bucket - below + i) << SAMPLE_BITS;
	slot[below] |= samples;
	histogram->used = (uint16_t)(used + below + 1 + above);
	return at + below;
}

void histogram_add(struct histogram *histogram, uint64_t value, uint64_t samples)
{
	uint32_t bucket = histogram_bucket_of(value), at;

	if (!histogram_guess(histogram, bucket, &at))
		at = histogram_search(histogram, bucket);
	if (at < histogram->used && bucket_at(histogram, at) == bucket)
		histogram->slot[at] += samples;
	else
		at = histogram_insert(histogram, at, bucket, samples);
	histogram->last = (uint16_t)at;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	for (uint32_t i = 0; i < from->used; i++) {
		if (!(from->slot[i] & SAMPLE_MASK))
			continue;
		histogram_add(into, bucket_middle((uint32_t)(from->slot[i] >> SAMPLE_BITS)),
			      from->slot[i] & SAMPLE_MASK);
	}
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
