/* SPDX-License-Identifier: MIT */
/* Rules about torch.compile. */
#include <inttypes.h>

#include "report/advice/bottleneck.h"
#include "report/advice/later_steps.h"
#include "report/base/units.h"

/* Returns by how much steps exceed the median of the steps that compile nothing. */
static uint64_t advice_compile_excess_of(const struct later_steps *later)
{
	uint64_t usual_ns = later->recompiled * later->p50_ns;

	return later->recompiled_ns > usual_ns ? later->recompiled_ns - usual_ns : 0;
}

bool advice_recompilations(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence *evidence = bottleneck->evidence;
	struct later_steps later;
	bool applies;

	later_steps_look(&later, &(struct later_steps_of){ .steps = bottleneck->steps,
							   .evidence = evidence,
							   .loop = &bottleneck->loop });
	advice->gain_ns = advice_compile_excess_of(&later);
	applies = later.recompiled && later.time.count &&
		  advice_exceeds(advice, bottleneck_share(bottleneck, advice->gain_ns));
	advice_say(advice,
		   "torch.compile compiled functions again in %" PRIu64 " step%s (%" PRIu64
		   " time%s); this took %.1f %% of the steps' time.",
		   later.recompiled, unit_plural(later.recompiled), evidence->work.recompiled,
		   unit_plural(evidence->work.recompiled), advice->value);
	later_steps_release(&later);
	return applies;
}

bool advice_graph_breaks(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence_work *work = &bottleneck->loop.work;
	uint64_t steps = bottleneck->loop.steps;
	char time[UNIT_TEXT_BYTES];

	advice->gain_ns = work->graph_breaks_ns;
	if (!steps || !advice_exceeds(advice, bottleneck_share(bottleneck, work->graph_breaks_ns)))
		return false;
	advice_say(advice,
		   "torch.compile breaks its functions %.1f times a step (graph breaks); %s, %.1f "
		   "%% of "
		   "the steps' time, passes between the pieces, outside of operators.",
		   (double)work->graph_breaks / (double)steps,
		   unit_format_ns(time, advice->gain_ns), advice->value);
	return true;
}
