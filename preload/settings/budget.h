/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_BUDGET: what detail may cost, or which share of the steps has it. Pure functions, which
 * do not know what a step is.
 */
#ifndef PRELOAD_SETTINGS_BUDGET_H
#define PRELOAD_SETTINGS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* steps, and time since the start, that have detail in any case, if the user sets nothing */
#define BUDGET_FIRST_STEPS 100u
#define BUDGET_FIRST_NS 30000000000ull

/* All zeros: off, all steps have detail. */
struct budget {
	uint32_t parts_per_million; /* of the program's time; 0: the share is fixed, or off */
	uint32_t share;             /* fixed share of the steps, in 1 / 2^32; 0: none */
	uint32_t first;             /* steps 0 to `first` - 1 have detail */
	bool first_is_set;          /* by the user: steps are drawn whatever the time */
	uint64_t first_ns;          /* then windows of time begin; 0: never */
};

static inline bool budget_is_on(const struct budget *budget)
{
	return budget->parts_per_million || budget->share;
}

/*
 * Parses "off", "2%", "0.5%" or "1/8", the last three with or without ",first=N" (steps) or
 * ",first=20s" behind them. If it returns false, the result is untouched.
 */
bool budget_parse(const char *text, struct budget *ret_budget);

/*
 * Returns whether the step has detail if `share` of all steps have it (1 / 2^32; 0: all). All
 * processes come to the same answer for the same share; a step that has detail with one share has
 * it with each larger one.
 */
bool budget_draws(const struct budget *budget, uint32_t share, uint64_t step);

/* The finalizer of splitmix64: neighbouring numbers have unrelated results. */
uint32_t budget_hash(uint64_t number);

#endif
