/* SPDX-License-Identifier: MIT */
/*
 * Programs without steps: a model that generates, or answers. Either it launches much and lets its
 * GPU idle. What the host did in each gap is not looked at (report gpu-idle does that): where there
 * is a launch every few microseconds of the idle time, nothing else has room in it. Or its GPU is
 * busy, from the first work to the last, and that is most of the run.
 */
#include "report/advice/bottleneck.h"
#include "report/base/units.h"

#define RUN_LAUNCHES_MANY 1000u
#define RUN_IDLE_SHARE 0.5 /* of the time from the first work to the last */
#define RUN_SPAN_SHARE 0.6 /* of the run without the import of torch: work of the GPU */

/*
 * Returns the device of the run; NULL: there is none, or several, whose idle times overlap, or its
 * work is known in part only.
 */
static const struct gpu_lane *lane_of_run(const struct bottleneck *bottleneck)
{
	const struct gpu_time *time = bottleneck->gpu_time;

	return time->lane_count == 1 && bottleneck_gpu_is_told(bottleneck) ? &time->lane[0] : NULL;
}

bool advice_launches_of_run(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gpu_lane *lane = lane_of_run(bottleneck);
	char idle[UNIT_TEXT_BYTES], all[UNIT_TEXT_BYTES], host[UNIT_TEXT_BYTES],
		kernel[UNIT_TEXT_BYTES];
	uint64_t all_ns, idle_ns, launches = bottleneck->launches;

	if (!lane || !bottleneck->wall_ns || launches < RUN_LAUNCHES_MANY ||
	    lane->last_ns <= lane->first_ns)
		return false;
	all_ns = gpu_time_span(bottleneck->gpu_time, lane);
	idle_ns = all_ns > lane->busy_ns ? all_ns - lane->busy_ns : 0;
	if ((double)idle_ns < RUN_IDLE_SHARE * (double)all_ns ||
	    idle_ns > LAUNCH_USUAL_NS * launches ||
	    !advice_exceeds(advice, 100.0 * (double)idle_ns / (double)bottleneck->wall_ns))
		return false;
	advice->of = ADVICE_OF_RUN;
	advice->gain_ns = idle_ns;
	advice_say(advice,
		   "the GPU is idle for %s of the %s from its first work to its last, because the "
		   "host is busy launching: there is a launch every %s of that time, while a "
		   "kernel runs for %s on average.",
		   unit_format_ns(idle, idle_ns), unit_format_ns(all, all_ns),
		   unit_format_ns(host, idle_ns / launches),
		   unit_format_ns(kernel, lane->class_ns[GPU_COMPUTES] / launches));
	advice_hot_line_add(bottleneck, advice);
	advice->todo = "Give the GPU more work a launch: more inputs at once, a larger batch; "
		       "torch.compile(mode='reduce-overhead') or CUDA graphs, which launch many "
		       "kernels at once.";
	return true;
}

/* Returns the device's time from the first work to the last, if that is most of the run; else 0. */
static uint64_t span_of_run(const struct bottleneck *bottleneck, const struct gpu_lane *lane)
{
	uint64_t run_ns = bottleneck->wall_ns > bottleneck->imported_ns
				  ? bottleneck->wall_ns - bottleneck->imported_ns
				  : 0;
	uint64_t span_ns = lane->last_ns > lane->first_ns ? lane->last_ns - lane->first_ns : 0;

	return (double)span_ns >= RUN_SPAN_SHARE * (double)run_ns ? span_ns : 0;
}

double bottleneck_run_busy(const struct bottleneck *bottleneck, uint64_t *ret_span_ns)
{
	const struct gpu_lane *lane = bottleneck->steps->time.count ? NULL
								    : lane_of_run(bottleneck);

	*ret_span_ns = lane ? span_of_run(bottleneck, lane) : 0;
	return *ret_span_ns ? 100.0 * (double)lane->busy_ns / (double)*ret_span_ns : 0;
}

bool advice_gpu_bounds_run(const struct bottleneck *bottleneck, struct advice *advice)
{
	char span[UNIT_TEXT_BYTES];
	uint64_t span_ns;

	if (!advice_exceeds(advice, bottleneck_run_busy(bottleneck, &span_ns)))
		return false;
	advice->of = ADVICE_OF_RUN;
	advice_say(advice, "a GPU is busy for %.1f %% of the %s from its first work to its last.",
		   advice->value, unit_format_ns(span, span_ns));
	advice->todo =
		"Only less or faster work of the GPU makes the run shorter: lower precision, "
		"kernels that do more at once (torch.compile), less to compute.";
	return true;
}
