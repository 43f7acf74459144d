/* SPDX-License-Identifier: MIT */
/* cases: device */
#include "report/device/ladder.h"

#include <stdlib.h>

#include "report/base/memory.h"

void ladder_release(struct ladder *ladder)
{
	free(ladder->of);
}

void ladder_add(struct ladder *ladder, uint64_t value)
{
	uint32_t step = value < LADDER_STEPS ? (uint32_t)value : LADDER_STEPS - 1;

	if (!ladder->of)
		ladder->of = memory_zero(LADDER_STEPS, sizeof(*ladder->of));
	if (!ladder->count || step < ladder->min)
		ladder->min = step;
	if (step > ladder->max)
		ladder->max = step;
	ladder->of[step]++;
	ladder->count++;
	ladder->sum += step;
}

uint32_t ladder_median(const struct ladder *ladder)
{
	uint64_t seen = 0;

	for (uint32_t step = ladder->min; ladder->count && step <= ladder->max; step++) {
		seen += ladder->of[step];
		if (seen * 2 >= ladder->count)
			return step;
	}
	return 0;
}
