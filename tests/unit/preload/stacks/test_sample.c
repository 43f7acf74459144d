/* SPDX-License-Identifier: MIT */
/* links: report format preload:stacks/sample.c */
/*
 * preload/stacks/sample.c with report/heap/estimate.c: what is drawn, and what that stands for.
 * Nothing here is left to chance: seeds are fixed, and probabilities are found by bisection over
 * all 2^64 numbers that may be drawn.
 */
#include "tests/unit/unit.h"

#include <math.h>

#include "preload/stacks/sample.h"
#include "report/heap/estimate.h"

#define TWO_64 18446744073709551616.0L

static const uint64_t everies[] = { 1u << 10, 4096, 512u << 10, 1u << 30 };
static const uint64_t sizes[] = { 1, 8, 100, 4096, 65535, 512u << 10, 10u << 20 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

TEST(a_distance_is_what_the_logarithm_says)
{
	uint64_t uniform = 1;

	for (unsigned int i = 0; i < 200000; i++, uniform = uniform * 6364136223846793005u + 1) {
		for (size_t k = 0; k < COUNT(everies); k++) {
			uint64_t number = i % 3 ? uniform >> i % 64 | 1 : UINT64_MAX - i;
			long double exact = -(long double)everies[k] *
					    (logl((long double)number) - logl(TWO_64));
			long double drawn = (long double)sample_distance_of(number, everies[k]);

			/*
			 * the next whole number, or one away where 48 bits behind the point do not
			 * tell
			 */
			assert_true(drawn >= floorl(exact) && drawn <= ceill(exact) + 2);
		}
	}
	assert_int_equal(sample_distance_of(UINT64_MAX, 1u << 30), 1);
}

/*
 * Of so many numbers that may be drawn, how many give a distance of at most `bytes`: all from one
 * on.
 */
static long double chance_of(uint64_t bytes, uint64_t every)
{
	uint64_t low = 0, high = UINT64_MAX; /* of `high` it is so */

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (sample_distance_of(middle, every) <= bytes)
			high = middle;
		else
			low = middle;
	}
	return (TWO_64 - (long double)high) / TWO_64;
}

TEST(the_chance_is_that_of_a_poisson_process)
{
	for (size_t k = 0; k < COUNT(everies); k++)
		for (size_t i = 0; i < COUNT(sizes); i++) {
			long double ratio = (long double)sizes[i] / (long double)everies[k];
			long double chance = chance_of(sizes[i], everies[k]);

			assert_true(fabsl(chance - -expm1l(-ratio)) < 1e-13L);
		}
}

/* The expected estimate is the truth: the chance to be drawn, times what stands for it then. */
TEST(an_estimate_is_unbiased)
{
	for (size_t k = 0; k < COUNT(everies); k++)
		for (size_t i = 0; i < COUNT(sizes); i++) {
			struct estimate_amount amount = estimate_weigh(sizes[i], everies[k]);
			long double chance = chance_of(sizes[i], everies[k]);
			long double blocks = chance * (long double)amount.allocations;
			long double bytes = chance * (long double)amount.bytes;
			long double size = (long double)sizes[i];

			assert_true(fabsl(blocks / ESTIMATE_ONE - 1) < 1e-3L);
			assert_true(fabsl(bytes / ESTIMATE_ONE / size - 1) < 1e-3L);
		}
}

/* Whatever is asked for between them: sizes in turn, each of them as often as it should be. */
TEST(sizes_are_drawn_by_their_bytes)
{
	enum { ROUNDS = 300000 };
	static const uint64_t turn[] = { 0, 16, 300, 20000, 900000 };
	const uint64_t every = 64u << 10;
	uint64_t hits[COUNT(turn)] = { 0 };
	struct sample sample;

	sample_begin(&sample, 12345, every);
	for (unsigned int i = 0; i < ROUNDS; i++)
		for (size_t k = 0; k < COUNT(turn); k++)
			hits[k] += sample_hits(&sample, turn[k], every);
	for (size_t k = 0; k < COUNT(turn); k++) {
		double bytes = turn[k] ? (double)turn[k] : 1;
		double chance = -expm1(-bytes / (double)every), expected = ROUNDS * chance;
		double spread = sqrt(expected * (1 - chance)) + 1;

		assert_true(fabs((double)hits[k] - expected) < 4 * spread);
	}
}

/* No bytes are a byte, or those blocks would not be there at all. */
TEST(a_block_of_no_bytes_is_a_block)
{
	struct estimate_amount amount = estimate_weigh(0, 1u << 20);

	assert_int_equal(amount.bytes, 0);
	assert_int_equal(estimate_whole(amount.allocations), (1u << 20) + 1);
}
