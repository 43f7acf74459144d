/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/samples/spread.c: who gets the CPU time between samples; the sums, the rounding, what
 * is left; shares of lines by many made looks.
 */
#include "tests/unit/unit.h"
#include "collector/samples/spread.h"

#define LOOKS 20000u

static struct sample made(uint32_t cpu_us, unsigned int weight)
{
	return (struct sample){ .cpu_us = cpu_us, .weight = (uint8_t)weight, .looks = 1 };
}

TEST(samples_of_one_weight_get_the_same)
{
	struct sample sample[] = { made(10, 0), made(100, SAMPLE_WEIGHT), made(3, SAMPLE_WEIGHT),
				   made(50, 0), made(1, SAMPLE_WEIGHT),   made(36, 0) };

	assert_int_equal(spread_cpu(sample, 6), 0);
	for (unsigned int i = 0; i < 6; i++)
		assert_in_range(sample[i].cpu_us, sample[i].weight ? 66 : 0,
				sample[i].weight ? 67 : 0);
	assert_int_equal(sample[1].cpu_us + sample[2].cpu_us + sample[4].cpu_us, 200);
}

TEST(weights_are_parts)
{
	struct sample sample[] = { made(100, SAMPLE_WEIGHT / 4), made(100, SAMPLE_WEIGHT) };

	assert_int_equal(spread_cpu(sample, 2), 0);
	assert_int_equal(sample[0].cpu_us, 40);
	assert_int_equal(sample[1].cpu_us, 160);
}

/* Nothing is on a CPU for sure: the next samples get what these do not stand for. */
TEST(rest_is_for_the_next_ones)
{
	struct sample none[] = { made(7, 0), made(UINT32_MAX, 0) };
	struct sample half[] = { made(60, SAMPLE_WEIGHT / 2), made(40, 0) };

	assert_int_equal(spread_cpu(none, 2), 7ull + UINT32_MAX);
	assert_int_equal(none[0].cpu_us + none[1].cpu_us, 0);
	assert_int_equal(spread_cpu(half, 2), 50);
	assert_int_equal(half[0].cpu_us, 50);
	assert_int_equal(spread_cpu(half, 0), 0);
}

static uint32_t made_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/*
 * A thread of a cycle of 64 us: 2 us on line 0, 60 on line 1, 2 on line 2, then off the CPU for 64.
 * It is looked at at moments that have nothing to do with that. Each look that finds it on a CPU
 * counts; in frames of 50 looks lines get what they use, to half a point.
 */
TEST(lines_get_what_they_use)
{
	static const uint64_t uses[] = { 2, 60, 2 };
	static struct sample sample[50];
	static uint32_t line[50];
	uint64_t now = 0, cpu = 0, told = 0, got[3] = { 0 }, all = 0, owed = 0;
	uint32_t seed = 1;

	for (unsigned int i = 0; i < LOOKS; i++) {
		uint64_t at;

		now += 10000 + made_random(&seed) % 20001;
		at = now % 128;
		cpu = now / 128 * 64 + (at < 64 ? at : 64);
		sample[i % 50] = made((uint32_t)(cpu - told + owed), at < 64 ? SAMPLE_WEIGHT : 0);
		line[i % 50] = at < 2 ? 0 : at < 62 ? 1 : 2;
		told = cpu;
		owed = 0;
		if (i % 50 != 49)
			continue;
		owed = spread_cpu(sample, 50);
		for (unsigned int k = 0; k < 50; k++)
			got[line[k]] += sample[k].cpu_us;
	}
	all = got[0] + got[1] + got[2];
	assert_int_equal(all + owed, cpu);
	for (unsigned int k = 0; k < 3; k++)
		assert_true(got[k] * 1000 / all + 5 >= uses[k] * 1000 / 64 &&
			    got[k] * 1000 / all <= uses[k] * 1000 / 64 + 5);
}
