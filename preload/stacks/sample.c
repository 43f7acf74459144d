/* SPDX-License-Identifier: MIT */
/* Uses integers only, because a hook must not touch the program's floating-point state. */
#include "preload/stacks/sample.h"

#define LN_2 0xb17217f7d1cf79acu /* ln 2, times 2^64 */
/* fractional bits: a block of one byte at one point per gigabyte has its probability to 5 digits */
#define FRACTION_BITS 48u

/* splitmix64: Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014 */
static uint64_t seed_next(uint64_t *seed)
{
	uint64_t word = *seed += 0x9e3779b97f4a7c15u;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
	word = (word ^ word >> 27) * 0x94d049bb133111ebu;
	return word ^ word >> 31;
}

/*
 * log2 of a number from 1 on, with FRACTION_BITS fractional bits. Squaring doubles the logarithm,
 * which gives one bit after the other.
 */
static uint64_t log2_of(uint64_t number)
{
	unsigned int zeros = (unsigned int)__builtin_clzll(number);
	uint64_t mantissa = number << zeros, log = 63 - zeros;

	for (unsigned int i = 0; i < FRACTION_BITS; i++) {
		unsigned __int128 square = (unsigned __int128)mantissa * mantissa;
		unsigned int carry = (unsigned int)(square >> 127);

		mantissa = (uint64_t)(square >> (63 + carry));
		log = log << 1 | carry;
	}
	return log;
}

uint64_t sample_distance_of(uint64_t uniform, uint64_t every)
{
	uint64_t log2 = (64ull << FRACTION_BITS) - log2_of(uniform);
	uint64_t log = (uint64_t)((unsigned __int128)log2 * LN_2 >> 64);

	return (uint64_t)((unsigned __int128)log * every >> FRACTION_BITS) + 1;
}

uint64_t sample_distance(uint64_t *seed, uint64_t every)
{
	uint64_t uniform = seed_next(seed);

	return sample_distance_of(uniform ? uniform : 1, every);
}

void sample_begin(struct sample *sample, uint64_t seed, uint64_t every)
{
	sample->seed = seed;
	sample->left = sample_distance(&sample->seed, every);
}
