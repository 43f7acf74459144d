/* SPDX-License-Identifier: MIT */
/* INTERCEPT_GPU_STEPS: its values, and which steps are drawn. */
/* links: preload:settings/gpu_steps.c,settings/budget.c,base/parse.c */
#include "preload/settings/gpu_steps.h"

#include "tests/unit/unit.h"

TEST(values)
{
	static const char *const wrong[] = { "",           "16",           "16/",
					     "/4096",      "0/10",         "10/10",
					     "11/10",      "16/4096,",     "16/4096,10",
					     "1/2,first=", "1/2,first=x",  "all,first=1",
					     "-1/10",      "1/10000000000" };
	struct gpu_steps steps = { .first = 3 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(gpu_steps_parse(wrong[i], &steps));
	assert_int_equal(steps.first, 3);
	assert_true(gpu_steps_parse("16/4096", &steps));
	assert_int_equal(steps.block, 16);
	assert_int_equal(steps.period, 4096);
	assert_int_equal(steps.first, GPU_STEPS_FIRST);
	assert_true(gpu_steps_parse("1/2,first=0", &steps));
	assert_int_equal(steps.first, 0);
	assert_true(gpu_steps_parse("all", &steps));
	assert_false(gpu_steps_are_drawn(&steps));
	assert_true(gpu_steps_draw(&steps, 12345));
	assert_false(steps.by_budget);
	assert_true(gpu_steps_parse("auto", &steps));
	assert_true(steps.by_budget);
	assert_false(gpu_steps_are_drawn(&steps));
}

/* Whole blocks; a larger share has those of a smaller one. */
TEST(shares)
{
	unsigned int few = 0, many = 0;

	for (uint64_t step = 0; step < 160000; step++) {
		bool is_few = gpu_steps_draw_share(1u << 28, step);
		bool is_many = gpu_steps_draw_share(1u << 29, step);

		assert_true(!is_few || is_many);
		assert_int_equal(is_many, gpu_steps_draw_share(1u << 29, step / 16 * 16));
		few += is_few;
		many += is_many;
	}
	assert_in_range(few, 9000, 11000);
	assert_in_range(many, 18000, 22000);
}

/* One block in each period, at other places in others, and the first steps. */
TEST(blocks)
{
	struct gpu_steps steps;
	unsigned int places[10] = { 0 };

	assert_true(gpu_steps_parse("4/40,first=7", &steps));
	for (uint64_t period = 0; period < 1000; period++) {
		unsigned int drawn = 0, begins = 0;
		bool was = false;

		for (uint64_t i = 0; i < 40; i++) {
			bool is = gpu_steps_draw(&steps, period * 40 + i);

			if (period && is && !was) {
				begins++;
				places[i / 4]++;
			}
			drawn += is;
			was = is;
		}
		assert_true(period ? drawn == 4 && begins == 1 : drawn >= 7 && drawn <= 11);
	}
	for (unsigned int i = 0; i < 10; i++)
		assert_true(places[i] > 10);
	for (uint64_t i = 0; i < 7; i++)
		assert_true(gpu_steps_draw(&steps, i));
}
