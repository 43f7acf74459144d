/* SPDX-License-Identifier: MIT */
/* links: collector preload:settings/budget.c,base/parse.c */
/* The share of steps with detail comes to where the budget is, whatever the noise. */

#include "tests/unit/unit.h"

#include "collector/processes/steering.h"
#include "preload/settings/budget.h"

#define PLAIN_NS 1600000u
#define STEPS 40000u
#define SECOND 1000000000ull

/* A program whose steps cost more with detail. */
struct program {
	uint64_t detail_ns, switch_ns; /* what detail costs a step, and a switch */
	uint64_t noise_ns;             /* up to so much more */
	uint64_t slow_every, slow_ns;  /* each of these steps takes that more; 0: none */
	uint64_t drift; /* steps become slower by one part in so many a step; 0: none */
	uint64_t full_until_ns;
	const char *budget;
};

struct outcome {
	uint64_t steps, detailed; /* of the second half */
	double cost;              /* what detail took of its time */
	uint64_t first_without;   /* the first step without detail */
};

static uint64_t noise_of(uint64_t step, uint64_t most)
{
	uint64_t bits = (step + 1) * 0x9e3779b97f4a7c15ull;

	bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9ull;
	return most ? (bits >> 20) % most : 0;
}

static uint64_t plain_of(const struct program *program, uint64_t step)
{
	uint64_t ns = PLAIN_NS + noise_of(step, program->noise_ns);

	if (program->slow_every && step % program->slow_every == 0)
		ns += program->slow_ns;
	return ns + (program->drift ? PLAIN_NS * step / program->drift : 0);
}

static struct outcome play(const struct program *program)
{
	struct outcome outcome = { .first_without = UINT64_MAX };
	uint64_t now = SECOND, plain_ns = 0, cost_ns = 0;
	struct steering steering;
	struct budget budget;
	bool detail = true;
	uint32_t share;

	assert_true(budget_parse(program->budget, &budget));
	steering_init(&steering, budget.parts_per_million, program->full_until_ns);
	share = steering_take_step(&steering, now);
	for (uint64_t step = 0; step < STEPS; step++) {
		uint64_t plain = plain_of(program, step);
		uint64_t cost = detail ? program->detail_ns : 0;
		bool wanted = budget_draws(&budget, share, step + 1);

		cost += wanted && !detail ? program->switch_ns : 0; /* before the step's end */
		now += plain + cost;
		if (wanted && !detail)
			steering_take_edge(&steering, true);
		share = steering_take_step(&steering, now);
		if (step >= STEPS / 2) {
			outcome.steps++;
			outcome.detailed += detail;
			plain_ns += plain;
			cost_ns += cost;
		}
		if (!detail && outcome.first_without == UINT64_MAX)
			outcome.first_without = step;
		if (!wanted && detail) {
			steering_take_edge(&steering, false);
			now += program->switch_ns; /* in the step that begins */
			cost_ns += step >= STEPS / 2 ? program->switch_ns : 0;
		}
		detail = wanted;
	}
	outcome.cost = (double)cost_ns / (double)(plain_ns + cost_ns);
	return outcome;
}

static void expect_cost(const struct program *program, double low, double high)
{
	struct outcome outcome = play(program);

	if (outcome.cost < low || outcome.cost > high)
		fail_msg("detail in %llu of %llu steps costs %.2f %%, not %.2f to %.2f %%",
			 (unsigned long long)outcome.detailed, (unsigned long long)outcome.steps,
			 100 * outcome.cost, 100 * low, 100 * high);
}

TEST(keeps_to_the_budget)
{
	struct program program = { .detail_ns = 600000,
				   .switch_ns = 20000,
				   .budget = "2%,first=100" };

	expect_cost(&program, .014, .022);
	program.budget = "5%,first=100";
	expect_cost(&program, .035, .055);
	program.budget = "0.5%,first=100";
	expect_cost(&program, .003, .006);
}

TEST(noise_does_not_decide)
{
	struct program program = { .detail_ns = 600000,
				   .switch_ns = 20000,
				   .noise_ns = 600000,
				   .budget = "2%,first=100" };

	expect_cost(&program, .012, .026);
	program.slow_every = 7;
	program.slow_ns = 10 * PLAIN_NS;
	expect_cost(&program, .003, .026);
}

TEST(slower_steps_are_no_cost)
{
	struct program program = { .detail_ns = 600000,
				   .drift = STEPS / 4,
				   .budget = "2%,first=100" };

	expect_cost(&program, .005, .022);
}

/* Nearly all steps have detail where that costs less than the budget; a few tell what it costs. */
TEST(cheap_detail_is_kept)
{
	struct program program = { .detail_ns = 8000, .budget = "2%,first=100" };
	struct outcome outcome = play(&program);

	assert_in_range(outcome.detailed, outcome.steps * 95 / 100, outcome.steps - 1);
	program.detail_ns = 0;
	outcome = play(&program);
	assert_in_range(outcome.detailed, outcome.steps * 95 / 100, outcome.steps - 1);
}

TEST(beginning_is_whole)
{
	struct program program = { .detail_ns = 600000, .budget = "2%,first=100" };

	assert_in_range(play(&program).first_without, 100, 200);
	program.budget = "2%";
	program.full_until_ns = 6 * SECOND; /* 5 s of steps of 2.2 ms */
	assert_in_range(play(&program).first_without, 2270, 2400);
}
