/* SPDX-License-Identifier: MIT */
/* Rules about torch.compile. */
#include <inttypes.h>

#include "report/advice/bottleneck.h"
#include "report/advice/later_steps.h"

/* The time of steps above the median of those that compile nothing. */
static uint64_t excess_of(const struct later_steps *later)
{
	uint64_t usual_ns = later->recompiled * later->p50_ns;

	return later->recompiled_ns > usual_ns ? later->recompiled_ns - usual_ns : 0;
}

bool advice_recompilations(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence *evidence = bottleneck->evidence;
	struct later_steps later;
	bool applies;

	later_steps_look(&later, bottleneck->steps, evidence);
	advice->gain_ns = excess_of(&later);
	applies = later.recompiled && later.time.count &&
		  advice_exceeds(advice, bottleneck_share(bottleneck, advice->gain_ns));
	advice_say(advice,
		   "torch.compile compiled functions again in %" PRIu64 " steps (%" PRIu64
		   " times); these steps took %.1f %% of the steps' time more than they take "
		   "otherwise.",
		   later.recompiled, evidence->work.recompiled, advice->value);
	later_steps_release(&later);
	return applies;
}
