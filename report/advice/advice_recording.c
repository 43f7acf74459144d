/* SPDX-License-Identifier: MIT */
/* Rules about the recording itself: what cannot be concluded from it. */
#include "report/advice/bottleneck.h"
#include "report/core/coverage.h"
#include "report/base/units.h"

bool advice_losses(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct source_loss *loss;
	size_t count = source_losses(bottleneck->source, &loss);
	char lost[UNIT_TEXT_BYTES];
	uint64_t total = 0;
	bool was_full = false;

	/* missing stacks make no number smaller: tables by stack say how many there are */
	for (size_t i = 0; i < count; i++) {
		total += lost_is_of_events(loss[i].reason) ? loss[i].count : 0;
		was_full |= loss[i].reason == EVT_LOST_FULL;
	}
	if (!advice_exceeds(advice, (double)total))
		return false;
	if (!was_full)
		advice->todo = "All numbers are too small by what is missing.";
	advice_say(advice, "%s event%s lost.", unit_format_count(lost, total),
		   total == 1 ? " was" : "s were");
	return true;
}

bool advice_limited(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct coverage_text recorded;
	const char *text = coverage_said(bottleneck->run, &recorded);
	const struct detail *detail = run_detail(bottleneck->run);

	if (!advice_exceeds(advice, bottleneck->limited || detail->until_ns != 0 ||
					    run_gpu_windows(bottleneck->run)->until_ns != 0 ||
					    detail_is_of_captures(detail)))
		return false;
	advice_say(advice, "%s.",
		   text ? text : "only part of the run was recorded (INTERCEPT_CAPTURE)");
	return true;
}

bool advice_sampled(const struct bottleneck *bottleneck, struct advice *advice)
{
	if (!advice_exceeds(advice, (double)run_events(bottleneck->run, EVT_torch_sampling)))
		return false;
	advice_say(advice, "not all operators were recorded (INTERCEPT_OPERATORS).");
	if (bottleneck->steps->has_sums)
		advice->todo =
			"There is no advice on small operators, item(), the optimizer, operators "
			"of the CPU, copies, number formats, and allocations of device memory. A "
			"short recording without INTERCEPT_PRESET=light has it.";
	return true;
}

bool advice_no_device_time(const struct bottleneck *bottleneck, struct advice *advice)
{
	char launches[UNIT_TEXT_BYTES];

	if (bottleneck->gpu->deferred->taken || run_events(bottleneck->run, EVT_gpu_kernel_sum) ||
	    bottleneck->steps->has_sums || !advice_exceeds(advice, (double)bottleneck->launches))
		return false;
	advice_say(advice, "%s kernels were launched; all times are the host's.",
		   unit_format_count(launches, bottleneck->launches));
	return true;
}
