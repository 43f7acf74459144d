/* SPDX-License-Identifier: MIT */
/*
 * Rules about work of the GPU that is known as sums (INTERCEPT_GPU=sums). Which call or operator a
 * piece was of is not known: kernels are judged by their names, copies by their kinds and by what
 * calls that copy took of the host's time.
 */
#include "report/advice/bottleneck.h"
#include "report/base/units.h"

#define NEARLY_ALL 0.9 /* share of the copies */
#define MOST 0.5

/* The settled steps whose work is in the sums, and how long kernels ran in them. */
struct summed_steps {
	uint64_t count, kernel_ns;
};

static struct summed_steps summed_steps_of(const struct bottleneck *bottleneck)
{
	const struct steps *steps = bottleneck->steps;
	struct summed_steps sum = { 0, 0 };

	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_row *row = &steps->row[i];

		if (!row->has_detail || row->number < EVIDENCE_SETTLED)
			continue;
		sum.count++;
		sum.kernel_ns += row->ns[STEP_kernel];
	}
	return sum;
}

/*
 * Returns how long such kernels ran in a step, at least: those that ran behind the last step, or on
 * several streams at once, may all have been of them.
 */
static uint64_t summed_a_step_ns(const struct bottleneck *bottleneck, uint64_t ns)
{
	struct summed_steps steps = summed_steps_of(bottleneck);
	uint64_t all_ns = bottleneck->gpu->sums.kernel_ns;
	uint64_t outside_ns = all_ns > steps.kernel_ns ? all_ns - steps.kernel_ns : 0;

	return steps.count && ns > outside_ns ? (ns - outside_ns) / steps.count : 0;
}

/* Sets the gain and the value, the share of the kernels' time; returns whether both are enough. */
static bool summed_kernels_exceed(const struct bottleneck *bottleneck, struct advice *advice,
				  uint64_t ns)
{
	uint64_t step_ns = summed_a_step_ns(bottleneck, ns);

	if (!step_ns || bottleneck_idle_ns(bottleneck) == UINT64_MAX)
		return false;
	advice->gain_ns = step_ns * bottleneck->loop.steps;
	snprintf(advice->command, sizeof(advice->command), "kernels");
	return bottleneck_share(bottleneck, advice->gain_ns) > advice->rule->threshold &&
	       advice_exceeds(advice, 100.0 * (double)ns / (double)bottleneck->gpu->sums.kernel_ns);
}

bool advice_summed_products(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gpu_evidence_sums *sums = &bottleneck->gpu->sums;
	char time[UNIT_TEXT_BYTES];

	if (sums->tensor_core_ns || !summed_kernels_exceed(bottleneck, advice, sums->plain_ns))
		return false;
	advice_say(advice,
		   "matrix products and convolutions take %.0f %% of the kernels' time, %s a step, "
		   "and no kernel ran on tensor cores, by its name; this GPU has them.",
		   advice->value,
		   unit_format_ns(time, summed_a_step_ns(bottleneck, sums->plain_ns)));
	return true;
}

bool advice_summed_doubles(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t ns = bottleneck->gpu->sums.double_ns;
	char time[UNIT_TEXT_BYTES];

	if (!summed_kernels_exceed(bottleneck, advice, ns))
		return false;
	advice_say(advice,
		   "matrix products in double precision (float64) take %.0f %% of the kernels' "
		   "time, %s a step.",
		   advice->value, unit_format_ns(time, summed_a_step_ns(bottleneck, ns)));
	return true;
}

/* --- copies --- */

static bool is_nearly_all(const struct bottleneck *bottleneck,
			  const struct gpu_evidence_copies *copies)
{
	return copies->copies &&
	       (double)copies->copies >= NEARLY_ALL * (double)bottleneck->gpu->sums.all.copies;
}

uint64_t bottleneck_copies_wait_ns(const struct bottleneck *bottleneck)
{
	const struct gpu_evidence *gpu = bottleneck->gpu;

	return is_nearly_all(bottleneck, &gpu->sums.to_host) ? bottleneck->loop.work.held_copies_ns
							     : 0;
}

/*
 * Copies from pinned memory hold up nobody. But among calls that did may be some that waited for
 * data of the GPU: a copy to the device holds the host up for as long as it takes, at least.
 */
static uint64_t pageable_held_ns(const struct bottleneck *bottleneck, uint64_t steps)
{
	const struct gpu_evidence_sums *sums = &bottleneck->gpu->sums;
	uint64_t held_ns = bottleneck->loop.work.held_copies_ns;
	uint64_t copied_ns = sums->pageable.ns / steps * bottleneck->loop.steps;

	return is_nearly_all(bottleneck, &sums->to_device) || held_ns < copied_ns ? held_ns
										  : copied_ns;
}

bool advice_summed_pageable(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gpu_evidence_sums *sums = &bottleneck->gpu->sums;
	uint64_t steps = summed_steps_of(bottleneck).count, held_ns;
	char bytes[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	if (!steps || !bottleneck->loop.steps ||
	    (double)sums->pageable.copies < MOST * (double)sums->to_device.copies ||
	    !advice_exceeds(advice, (double)sums->pageable.bytes / (double)steps))
		return false;
	held_ns = pageable_held_ns(bottleneck, steps);
	if (!held_ns)
		return false;
	advice->gain_ns = held_ns;
	snprintf(advice->command, sizeof(advice->command), "gpu-copies");
	advice_say(advice,
		   "%.0f %% of the copies to the device are from memory that is not pinned, and "
		   "so the host waits for them: %s and %s a step.",
		   100.0 * (double)sums->pageable.copies / (double)sums->to_device.copies,
		   unit_format_bytes(bytes, sums->pageable.bytes / steps),
		   unit_format_ns(time, held_ns / bottleneck->loop.steps));
	return true;
}

bool advice_summed_small(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gpu_evidence_copies *copies = &bottleneck->gpu->sums.to_device;
	const struct evidence_work *work = &bottleneck->loop.work;
	uint64_t steps = bottleneck->loop.steps;
	char bytes[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	advice->gain_ns = work->hidden_copies_ns;
	if (!steps || !is_nearly_all(bottleneck, copies) ||
	    work->hidden_copies < COPIES_MANY * steps ||
	    copies->bytes > COPY_SMALL_BYTES * copies->copies ||
	    !advice_exceeds(advice, bottleneck_share(bottleneck, work->hidden_copies_ns)))
		return false;
	snprintf(advice->command, sizeof(advice->command), "gpu-copies");
	advice_say(advice,
		   "%.1f copies a step, nearly all to the device, of %s each on average: the calls "
		   "take %.1f %% of the steps' time, %s a step.",
		   (double)work->hidden_copies / (double)steps,
		   unit_format_bytes(bytes, copies->bytes / copies->copies), advice->value,
		   unit_format_ns(time, work->hidden_copies_ns / steps));
	return true;
}
