/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/tensors/parameters.c: which blocks and gradients belong together. */
#include "tests/unit/unit.h"
#include "report/tensors/parameters.h"

#define GPU 257u
#define MIB (UINT64_C(1) << 20)
#define BLOCKS_MAX 12u

static struct parameter_block at(uint64_t device, uint64_t bytes, uint64_t since_ns)
{
	return (struct parameter_block){
		.device = device, .bytes = bytes, .since_ns = since_ns, .at = (uint32_t)since_ns
	};
}

/* Numbers of those that are parameters, as bits. */
static unsigned int found(const struct parameter_block *candidate, size_t count)
{
	unsigned int bits = 0;

	for (size_t i = 0; i < count; i++)
		bits |= candidate[i].is_parameter ? 1u << candidate[i].at : 0;
	return bits;
}

TEST(the_first_of_a_size_are_taken)
{
	struct parameter_block gradient[] = { at(0, 100, 50), at(0, 8, 51), at(0, 100, 52) };
	struct parameter_block block[] = { at(0, 100, 5), at(0, 100, 1), at(0, 8, 4),
					   at(0, 100, 3), at(0, 9, 2),   at(GPU, 8, 6) };

	parameters_find(gradient, 3, block, 6);
	assert_int_equal(found(block, 6), 1 << 1 | 1 << 3 | 1 << 4);
}

TEST(those_that_are_known_stay)
{
	struct parameter_block gradient[] = { at(0, 100, 50) };
	struct parameter_block block[] = { at(0, 100, 1), at(0, 100, 2), at(0, 7, 3) };

	block[1].is_parameter = block[2].is_parameter = true;
	parameters_find(gradient, 1, block, 3);
	assert_int_equal(found(block, 3), 1 << 2 | 1 << 3);
}

TEST(large_blocks_of_a_device_may_have_a_rest)
{
	struct parameter_block gradient[] = { at(GPU, 12 * MIB, 50), at(GPU, 30 * MIB, 51),
					      at(GPU, 1024, 52), at(0, 40 * MIB, 53) };
	struct parameter_block block[] = { at(GPU, 11 * MIB, 1),     at(GPU, 12 * MIB, 2),
					   at(GPU, 31 * MIB + 1, 3), at(GPU, 512, 4),
					   at(0, 40 * MIB + 4, 5),   at(GPU, 31 * MIB, 6) };

	parameters_find(gradient, 4, block, 6);
	/* the one of equal size before the older one that is near */
	assert_int_equal(found(block, 6), 1 << 2 | 1 << 6);
}

TEST(a_sum_is_of_parameters_made_one_after_another)
{
	struct parameter_block gradient[] = { at(0, 60, 50), at(0, 90, 51), at(GPU, 1536, 52) };
	struct parameter_block block[] = { at(0, 60, 1),     at(0, 30, 2),    at(0, 40, 3),
					   at(0, 20, 4),     at(0, 7, 5),     at(GPU, 512, 6),
					   at(GPU, 1024, 7), at(GPU, 512, 8), at(GPU, 9999, 9) };

	for (unsigned int i = 0; i < 3; i++)
		gradient[i].is_sum = true;
	parameters_find(gradient, 3, block, 9);
	/* 60 alone, 30 + 40 + 20; on a GPU each of three may have been rounded up */
	assert_int_equal(found(block, 9), 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7);
	gradient[1].is_sum = false;
	for (unsigned int i = 0; i < 9; i++)
		block[i].is_parameter = false;
	parameters_find(gradient, 2, block, 9);
	assert_int_equal(found(block, 9), 1 << 1);
}

/* How many pairs there can be at most: each gradient tries each block. */
static unsigned int pairs_of(const struct parameter_block *gradient, size_t gradients,
			     const struct parameter_block *block, size_t blocks, unsigned int taken)
{
	unsigned int most;

	if (!gradients)
		return 0;
	most = pairs_of(gradient + 1, gradients - 1, block, blocks, taken);
	for (size_t i = 0; i < blocks; i++)
		if (!(taken & 1u << i) && gradient->device == block[i].device &&
		    gradient->bytes == block[i].bytes) {
			unsigned int pairs = 1 + pairs_of(gradient + 1, gradients - 1, block,
							  blocks, taken | 1u << i);

			most = pairs > most ? pairs : most;
		}
	return most;
}

/* Of equal sizes, as many are found as there can be. */
TEST(as_many_as_there_can_be)
{
	srandom(7);
	for (unsigned int round = 0; round < 300; round++) {
		struct parameter_block gradient[BLOCKS_MAX], block[BLOCKS_MAX];
		size_t gradients = (size_t)random() % 6, blocks = (size_t)random() % 7;
		unsigned int wanted;

		for (size_t i = 0; i < gradients; i++)
			gradient[i] = at(random() % 2 ? GPU : 0, 1 + (uint64_t)random() % 3, i);
		for (size_t i = 0; i < blocks; i++)
			block[i] = at(random() % 2 ? GPU : 0, 1 + (uint64_t)random() % 3, i);
		wanted = pairs_of(gradient, gradients, block, blocks, 0);
		parameters_find(gradient, gradients, block, blocks);
		assert_int_equal(__builtin_popcount(found(block, blocks)), wanted);
	}
}

/* Thousands of one size, as layers are alike: the time grows with their number, not its square. */
TEST(many_of_one_size)
{
	const size_t count = 200000;
	struct parameter_block *gradient = calloc(count, sizeof(*gradient));
	struct parameter_block *block = calloc(count, sizeof(*block));

	for (size_t i = 0; i < count; i++)
		gradient[i] = block[i] = at(GPU, 512, i);
	parameters_find(gradient, count, block, count);
	for (size_t i = 0; i < count; i++)
		assert_true(block[i].is_parameter);
	free(gradient);
	free(block);
}
