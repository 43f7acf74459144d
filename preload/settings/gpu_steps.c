/* SPDX-License-Identifier: MIT */
/*
 * One block in each period, at a random place: so whatever repeats in the program has the same
 * chance at each of its positions, and no stretch of two periods is without a block.
 */
#include "preload/settings/gpu_steps.h"

#include <string.h>

#include "preload/base/parse.h"
#include "preload/settings/budget.h"

#define STEPS_MAX 1000000000u
#define NUMBER_BYTES 16u

static bool gpu_steps_number(const char *text, size_t length, unsigned int *ret_number)
{
	char digits[NUMBER_BYTES];

	if (!length || length >= sizeof(digits))
		return false;
	memcpy(digits, text, length);
	digits[length] = 0;
	return parse_number(digits, STEPS_MAX, ret_number);
}

bool gpu_steps_parse(const char *text, struct gpu_steps *ret_steps)
{
	static const char first[] = ",first=";
	struct gpu_steps steps = { .first = GPU_STEPS_FIRST };
	size_t block = strcspn(text, "/,"), period = block;

	if (strcmp(text, "all") == 0) {
		*ret_steps = (struct gpu_steps){ 0 };
		return true;
	}
	if (strcmp(text, "auto") == 0) {
		*ret_steps = (struct gpu_steps){ .by_budget = true };
		return true;
	}
	if (text[block] != '/')
		return false;
	period = strcspn(text + block + 1, ",");
	if (!gpu_steps_number(text, block, &steps.block) ||
	    !gpu_steps_number(text + block + 1, period, &steps.period))
		return false;
	text += block + 1 + period;
	if (*text && (strncmp(text, first, sizeof(first) - 1) != 0 ||
		      !parse_number(text + sizeof(first) - 1, STEPS_MAX, &steps.first)))
		return false;
	if (!steps.block || steps.block >= steps.period)
		return false;
	*ret_steps = steps;
	return true;
}

bool gpu_steps_draw(const struct gpu_steps *steps, uint64_t step)
{
	uint64_t period, at;

	if (!steps->period || step < steps->first)
		return true;
	period = step / steps->period;
	/* the hash, as a fraction, times the number of places */
	at = (uint64_t)budget_hash(period) * (steps->period - steps->block + 1) >> 32;
	at += period * steps->period;
	return step >= at && step - at < steps->block;
}

/* The complement makes these other draws than those of budget_draws(). */
bool gpu_steps_draw_share(uint32_t share, uint64_t step)
{
	return budget_hash(~(step / GPU_STEPS_BLOCK)) < share;
}
