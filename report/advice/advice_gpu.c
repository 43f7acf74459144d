/* SPDX-License-Identifier: MIT */
/*
 * The rules about work of the GPU that CUPTI reported. Most are nsys' expert rules and
 * recommendations of the TensorBoard plugin, applied to steps instead of the whole run. Without GPU
 * work in steps they say nothing.
 */
#include <stdio.h>

#include "report/advice/bottleneck.h"
#include "report/advice/compile_wraps.h"
#include "report/base/units.h"
#include "report/steps/rows_steps.h"

#define IDLE_MATTERS 20.0    /* % of the steps' time; with less idle time the host keeps up */
#define WAITS_HARDLY 2.0     /* % of the steps' time: a host that waits less is behind its GPU */
#define WAITS_SHARE 0.2      /* of the GPU's idle time: the same */
#define BUSY_STEPS_SHARE 0.5 /* share of the settled steps that request work of the GPU */
/* share of the work whose calls have no, or late, reports */
#define UNREPORTED_MATTERS 0.01
#define LAUNCHES_MANY 20.0     /* a step */
#define LAUNCH_LONG_NS 200000u /* no launch of PyTorch's takes the host so long */
#define LAUNCHES_BYTES 64u
#define PURE_SHARE 0.25 /* of the launches, that the time of all is estimated by */
/* share of the products' time, by names that say which GPU they are for */
#define RECENT_SHARE 0.5

static double advice_gpu_per_step(const struct bottleneck *bottleneck, uint64_t count)
{
	return (double)count / (double)bottleneck->gpu->steps;
}

static bool advice_gpu_share_exceeds(const struct bottleneck *bottleneck, struct advice *advice,
				     uint64_t ns)
{
	advice->gain_ns = ns;
	return advice_exceeds(advice, bottleneck_share(bottleneck, ns));
}

/* What may be missing is a killed program's last work, or a late buffer. */
bool bottleneck_gpu_is_told(const struct bottleneck *bottleneck)
{
	uint64_t late = bottleneck->steps->gpu_late > bottleneck->gpu_time->late
				? bottleneck->steps->gpu_late
				: bottleneck->gpu_time->late; /* mostly the same pieces */

	return bottleneck->unreported->calls + late <=
		       UNREPORTED_MATTERS * (double)bottleneck->gpu_time->told->taken &&
	       !run_events(bottleneck->run, EVT_gpu_lost);
}

/* Returns whether the loop runs on a GPU: most of its steps request work that CUPTI reported. */
static bool loop_has_gpu(const struct bottleneck *bottleneck)
{
	return bottleneck_gpu_is_told(bottleneck) && bottleneck->gpu->work.kernels &&
	       (double)bottleneck->gpu->steps > BUSY_STEPS_SHARE * (double)bottleneck->loop.steps;
}

const struct gpu_evidence *bottleneck_gpu(const struct bottleneck *bottleneck)
{
	return loop_has_gpu(bottleneck) ? bottleneck->gpu : NULL;
}

/*
 * Returns whether the steps say how long the GPU was busy, single pieces of its work or not
 * (INTERCEPT_GPU=sums).
 */
static bool loop_is_timed(const struct bottleneck *bottleneck)
{
	const struct steps *steps = bottleneck->steps;
	uint64_t busy = 0;

	if (!steps->has_sums)
		return loop_has_gpu(bottleneck);
	for (size_t i = 0; i < steps->row_count; i++)
		busy += !bottleneck->loop.is_warm[i] && steps->row[i].gpu_ns;
	return (double)steps->gpu_late <= UNREPORTED_MATTERS * (double)steps_launched(steps) &&
	       !run_events(bottleneck->run, EVT_gpu_lost) &&
	       (double)busy > BUSY_STEPS_SHARE * (double)bottleneck->loop.steps;
}

/* Returns how long nothing ran on a device in settled steps. */
static uint64_t idle_ns_of(const struct bottleneck *bottleneck)
{
	const struct steps *steps = bottleneck->steps;
	uint64_t idle_ns = 0;

	for (size_t i = 0; i < steps->row_count; i++)
		if (!bottleneck->loop.is_warm[i] && steps->row[i].has_detail &&
		    steps->row[i].total_ns > steps->row[i].gpu_ns)
			idle_ns += steps->row[i].total_ns - steps->row[i].gpu_ns;
	return idle_ns;
}

uint64_t bottleneck_idle_ns(const struct bottleneck *bottleneck)
{
	return loop_is_timed(bottleneck) ? idle_ns_of(bottleneck) : UINT64_MAX;
}

uint64_t bottleneck_idle_at_most_ns(const struct bottleneck *bottleneck, bool *ret_is_exact)
{
	*ret_is_exact = loop_is_timed(bottleneck);
	return *ret_is_exact || bottleneck->loop.gpu_ns ? idle_ns_of(bottleneck) : UINT64_MAX;
}

/* --- the host launches, and the GPU waits for it --- */

static uint64_t advice_gpu_least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static double launches(const struct bottleneck *bottleneck)
{
	return (double)(bottleneck->gpu->work.kernels - bottleneck->gpu->work.graph_kernels);
}

/*
 * Returns the host's time in calls and operators, and in short gaps between operators, while
 * nothing ran on the GPU.
 */
static uint64_t busy_host_ns(const struct bottleneck *bottleneck)
{
	const struct steady_loop *loop = &bottleneck->loop;

	return loop->ns[STEP_operators] + loop->ns[STEP_runtime] +
	       advice_gpu_least(loop->ns[STEP_other], loop->work.short_gaps_ns);
}

/* Returns the part of that which other rules are about, or which launches nothing. */
static uint64_t not_launching_ns(const struct bottleneck *bottleneck)
{
	const struct evidence_work *work = &bottleneck->loop.work;
	uint64_t copies_ns = bottleneck->gpu->work.pageable_ns;

	return work->host_operators_ns + (copies_ns > work->held_ns ? copies_ns : work->held_ns);
}

/* What settled steps did in a phase while nothing ran on the GPU. */
struct phase_launches {
	uint64_t idle_ns, launches;
};

static void phase_launches_add(const struct bottleneck *bottleneck, enum step_phase phase,
			       struct phase_launches *sum)
{
	const struct steps *steps = bottleneck->steps;

	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_phase_times *times = &steps->row[i].phases;

		if (bottleneck->loop.is_warm[i] || !steps->row[i].has_detail)
			continue;
		sum->launches += times->launches[phase];
		if (times->ns[phase] > times->gpu_ns[phase])
			sum->idle_ns += times->ns[phase] - times->gpu_ns[phase];
	}
}

/* All that forward does is to launch, if that leaves no time for anything else. */
static uint64_t forward_launching_ns(const struct phase_launches *forward,
				     const struct phase_launches *pure, bool pure_is_enough)
{
	if (forward->idle_ns <= LAUNCH_USUAL_NS * forward->launches)
		return forward->idle_ns;
	if (!pure_is_enough)
		return 0;
	return advice_gpu_least(forward->idle_ns,
				(uint64_t)((double)pure->idle_ns / (double)pure->launches *
					   (double)forward->launches));
}

/*
 * The GPU's work is known as sums (INTERCEPT_GPU=sums), so not what the host did meanwhile. But
 * backward and the optimizer do nothing else than to run operators. Forward may, so it has as much
 * time a launch as those at most, unless that is as little as a launch takes. 0: that is not known,
 * or too long to be the time of launches.
 */
static uint64_t phases_launching_ns(const struct bottleneck *bottleneck, uint64_t *ret_launches)
{
	struct phase_launches pure = { 0, 0 }, forward = { 0, 0 };
	uint64_t forward_ns;
	bool pure_is_enough;

	*ret_launches = 0;
	if (!loop_is_timed(bottleneck) || !steps_know_phase(bottleneck->steps, PHASE_forward) ||
	    !steps_know_phase(bottleneck->steps, PHASE_optimizer))
		return 0;
	phase_launches_add(bottleneck, PHASE_backward, &pure);
	phase_launches_add(bottleneck, PHASE_optimizer, &pure);
	phase_launches_add(bottleneck, PHASE_forward, &forward);
	if (pure.idle_ns > LAUNCH_LONG_NS * pure.launches)
		pure = (struct phase_launches){ 0, 0 };
	pure_is_enough = pure.launches &&
			 (double)pure.launches >=
				 PURE_SHARE * (double)(pure.launches + forward.launches);
	forward_ns = forward_launching_ns(&forward, &pure, pure_is_enough);
	if (!pure_is_enough && !forward_ns)
		return 0;
	*ret_launches = pure.launches + (forward_ns ? forward.launches : 0);
	return pure.idle_ns + forward_ns;
}

static bool launching_matters(const struct bottleneck *bottleneck, double launches_a_step,
			      uint64_t idle_ns, bool is_behind)
{
	return launches_a_step >= LAUNCHES_MANY &&
	       bottleneck_share(bottleneck, idle_ns) >= IDLE_MATTERS && is_behind;
}

/*
 * Returns whether launching takes longer than the GPU's work, or the host hardly waits for the GPU:
 * then the GPU waits for the host.
 */
static bool host_is_behind(const struct bottleneck *bottleneck, uint64_t launching_ns)
{
	uint64_t waits_ns = bottleneck->loop.work.sync_ns;

	return launching_ns > bottleneck->gpu->work.kernel_ns ||
	       bottleneck_share(bottleneck, waits_ns) < WAITS_HARDLY ||
	       (double)waits_ns < WAITS_SHARE * (double)idle_ns_of(bottleneck);
}

static uint64_t busy_gpu_ns(const struct bottleneck *bottleneck)
{
	const struct steps *steps = bottleneck->steps;
	uint64_t busy_ns = 0;

	for (size_t i = 0; i < steps->row_count; i++)
		busy_ns += bottleneck->loop.is_warm[i] ? 0 : steps->row[i].gpu_ns;
	return busy_ns;
}

static uint64_t sums_launching_ns(const struct bottleneck *bottleneck)
{
	uint64_t launched, ns = phases_launching_ns(bottleneck, &launched);

	return ns && launching_matters(bottleneck,
				       (double)launched / (double)bottleneck->loop.steps,
				       idle_ns_of(bottleneck), ns > busy_gpu_ns(bottleneck))
		       ? ns
		       : 0;
}

uint64_t bottleneck_launching_ns(const struct bottleneck *bottleneck)
{
	uint64_t idle_ns, busy_ns, other_ns = not_launching_ns(bottleneck), ns;

	if (bottleneck->steps->has_sums && bottleneck->loop.steps)
		return sums_launching_ns(bottleneck);
	if (!loop_has_gpu(bottleneck) || bottleneck->sampled || !bottleneck->loop.steps)
		return 0;
	idle_ns = idle_ns_of(bottleneck);
	busy_ns = busy_host_ns(bottleneck);
	ns = advice_gpu_least(busy_ns > other_ns ? busy_ns - other_ns : 0, idle_ns);
	return launching_matters(bottleneck, launches(bottleneck) / (double)bottleneck->gpu->steps,
				 idle_ns, host_is_behind(bottleneck, ns))
		       ? ns
		       : 0;
}

/* "113 of 303 launches a step", where the others' host time is not known. */
static void put_launches_a_step(const struct bottleneck *bottleneck, uint64_t launched,
				uint64_t all, char text[LAUNCHES_BYTES])
{
	double steps = (double)bottleneck->loop.steps;

	if (launched < all)
		snprintf(text, LAUNCHES_BYTES, "%.0f of %.0f launches a step",
			 (double)launched / steps, (double)all / steps);
	else
		snprintf(text, LAUNCHES_BYTES, "%.0f launches a step", (double)launched / steps);
}

static void say_launches_of_sums(const struct bottleneck *bottleneck, uint64_t ns,
				 struct advice *advice)
{
	uint64_t steps = bottleneck->loop.steps, launched;
	char gpu[UNIT_TEXT_BYTES], host[UNIT_TEXT_BYTES], idle[UNIT_TEXT_BYTES];
	char launches_a_step[LAUNCHES_BYTES];
	struct phase_launches all = { 0, 0 };

	for (int phase = 0; phase < STEP_PHASE_LIMIT; phase++)
		phase_launches_add(bottleneck, (enum step_phase)phase, &all);
	(void)phases_launching_ns(bottleneck, &launched);
	put_launches_a_step(bottleneck, launched, all.launches, launches_a_step);
	advice_say(advice,
		   "the GPU is idle for %s a step, %.1f %% of the steps' time, because the host is "
		   "busy launching: %s, %s of host time each, while the GPU is busy for %s a "
		   "launch.",
		   unit_format_ns(idle, ns / steps), advice->value, launches_a_step,
		   unit_format_ns(host, ns / launched),
		   unit_format_ns(gpu, busy_gpu_ns(bottleneck) / all.launches));
}

bool advice_launch_bound(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gpu_evidence_work *work = &bottleneck->gpu->work;
	uint64_t ns = bottleneck_launching_ns(bottleneck), steps = bottleneck->loop.steps;
	char kernel[UNIT_TEXT_BYTES], host[UNIT_TEXT_BYTES], idle[UNIT_TEXT_BYTES];

	if (!bottleneck->steps->time.count)
		return advice_launches_of_run(bottleneck, advice);
	if (!ns || !advice_gpu_share_exceeds(bottleneck, advice, ns))
		return false;
	if (bottleneck->steps->has_sums) {
		say_launches_of_sums(bottleneck, ns, advice);
		return true;
	}
	advice_say(advice,
		   "the GPU is idle for %s a step, %.1f %% of the steps' time, because the host is "
		   "busy launching: %.0f operators and %.0f launches a step, %s of host time each, "
		   "while a kernel runs for %s on average.",
		   unit_format_ns(idle, ns / steps), advice->value,
		   (double)bottleneck->loop.work.operators / (double)steps,
		   launches(bottleneck) / (double)bottleneck->gpu->steps,
		   unit_format_ns(host, (uint64_t)((double)ns / (double)steps *
						   (double)bottleneck->gpu->steps /
						   launches(bottleneck))),
		   unit_format_ns(kernel, work->kernel_ns / work->kernels));
	compile_wraps_say(bottleneck, advice);
	return true;
}

bool advice_gpu_bound(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct steady_loop *loop = &bottleneck->loop;
	enum step_phase phase = steady_loop_asks_most(loop);
	char share[UNIT_TEXT_BYTES];

	if (!bottleneck->steps->time.count)
		return advice_gpu_bounds_run(bottleneck, advice);
	if (!steady_loop_is_gpu_bound(loop) ||
	    !advice_exceeds(advice, 100.0 * (double)loop->gpu_ns / (double)loop->total_ns))
		return false;
	if (phase == PHASE_other) {
		advice_say(advice, "a GPU is busy for %.1f %% of the steps' time.", advice->value);
		return true;
	}
	advice_say(advice,
		   "a GPU is busy for %.1f %% of the steps' time; %s of its work is asked for in "
		   "phase %s.",
		   advice->value,
		   unit_format_percent(share, 100.0 * (double)loop->phases.asked_ns[phase] /
						      (double)step_phases_asked(&loop->phases)),
		   step_phase_names[phase]);
	return true;
}

/* Of long operators, and of long runs of short ones, that call no CUDA: see gaps.h. */
bool advice_host_operators(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t ns = bottleneck->loop.work.host_operators_ns;
	char time[UNIT_TEXT_BYTES];

	if (!loop_has_gpu(bottleneck) || bottleneck->sampled ||
	    !advice_gpu_share_exceeds(bottleneck, advice, ns))
		return false;
	advice_say(advice,
		   "operators that run on the CPU take %.1f %% of the steps' time, %s a step, "
		   "beside the work of the GPU.",
		   advice->value, unit_format_ns(time, ns / bottleneck->loop.steps));
	return true;
}

/* Beside other advice it is only said if much is left unexplained: see advice.c. */
bool advice_gpu_idle(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t idle_ns = idle_ns_of(bottleneck);
	char time[UNIT_TEXT_BYTES];

	if (!loop_is_timed(bottleneck) || !advice_gpu_share_exceeds(bottleneck, advice, idle_ns))
		return false;
	advice_say(advice, "nothing ran on the GPU for %.1f %% of the steps' time, %s a step.",
		   advice->value, unit_format_ns(time, idle_ns / bottleneck->loop.steps));
	return true;
}

/*
 * Returns the part of a long gap in the settled loop of the process. Warm-up is the subject of
 * first_step.
 */
static uint64_t gap_in_loop(const struct bottleneck *bottleneck, const struct gpu_long_gap *gap)
{
	uint64_t from_ns = gap->start_ns, to_ns = gap->start_ns + gap->ns;

	if (!bottleneck->process ||
	    bottleneck->gpu_time->lane[gap->lane].process != bottleneck->process->index)
		return 0;
	if (from_ns < bottleneck->settled_ns)
		from_ns = bottleneck->settled_ns;
	if (to_ns > bottleneck->last_step_ns)
		to_ns = bottleneck->last_step_ns;
	return to_ns > from_ns && to_ns - from_ns >= GPU_GAP_LONG_NS ? to_ns - from_ns : 0;
}

bool advice_gpu_gaps(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t all_ns = 0, longest_ns = 0, count = 0;
	char all[UNIT_TEXT_BYTES], longest[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < bottleneck->gpu_time->gap_count; i++) {
		uint64_t ns = gap_in_loop(bottleneck, &bottleneck->gpu_time->gap[i]);

		all_ns += ns;
		count += ns != 0;
		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
	if (!bottleneck_gpu_is_told(bottleneck) || !advice_exceeds(advice, (double)count))
		return false;
	advice->gain_ns = all_ns;
	advice_say(
		advice,
		"%.0f time%s between the first step and the last a GPU did nothing for 500 ms or "
		"more: %s in all, %s at most.",
		advice->value, count == 1 ? "" : "s", unit_format_ns(all, all_ns),
		unit_format_ns(longest, longest_ns));
	return true;
}

bool advice_small_kernels(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gpu_evidence_work *work = &bottleneck->gpu->work;
	uint64_t idle_ns = idle_ns_of(bottleneck);
	char kernel[UNIT_TEXT_BYTES], longer[UNIT_TEXT_BYTES];

	if (!loop_has_gpu(bottleneck) || bottleneck_share(bottleneck, idle_ns) < IDLE_MATTERS ||
	    bottleneck_launching_ns(bottleneck) ||
	    !advice_exceeds(advice, 100.0 * (double)work->short_kernels / (double)work->kernels))
		return false;
	advice->gain_ns = work->short_by_ns < idle_ns ? work->short_by_ns : idle_ns;
	advice_say(
		advice,
		"%.0f %% of the kernels in steps took less than the call that launched them, by %s "
		"a step; a kernel took %s on average, and the GPU was idle for %.0f %% of the "
		"steps' time.",
		advice->value,
		unit_format_ns(longer,
			       (uint64_t)advice_gpu_per_step(bottleneck, work->short_by_ns)),
		unit_format_ns(kernel, work->kernel_ns / work->kernels),
		bottleneck_share(bottleneck, idle_ns));
	compile_wraps_say(bottleneck, advice);
	return true;
}

/*
 * Returns the part of the steps' time in which the GPU does that work of theirs: of the time that
 * it is busy in them, since work may run later than the step that asks for it.
 */
static uint64_t work_in_steps_ns(const struct bottleneck *bottleneck, uint64_t ns)
{
	uint64_t kernel_ns = bottleneck->gpu->work.kernel_ns;
	double all_ns = (double)(kernel_ns > ns ? kernel_ns : ns);

	return ns ? advice_gpu_least(
			    ns, (uint64_t)((double)busy_gpu_ns(bottleneck) * (double)ns / all_ns))
		  : 0;
}

/*
 * Only if kernel names show that the GPU has tensor cores, because no attribute of it is recorded.
 */
bool advice_no_tensor_cores(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gpu_evidence_work *work = &bottleneck->gpu->work;
	char time[UNIT_TEXT_BYTES];

	if (bottleneck->steps->has_sums)
		return advice_summed_products(bottleneck, advice);
	if (!loop_has_gpu(bottleneck) || bottleneck->sampled || work->tensor_core_ns ||
	    (double)work->recent_ns <= RECENT_SHARE * (double)work->product_ns ||
	    bottleneck_share(bottleneck, work->product_ns) <= advice->rule->threshold ||
	    !advice_exceeds(advice, 100.0 * (double)work->product_ns / (double)work->kernel_ns))
		return false;
	advice->gain_ns = work_in_steps_ns(bottleneck, work->product_ns);
	advice_say(
		advice,
		"matrix products and convolutions take %.0f %% of the kernels' time in steps, %s a "
		"step, and no kernel ran on tensor cores, by its name; this GPU has them.",
		advice->value,
		unit_format_ns(time, (uint64_t)advice_gpu_per_step(bottleneck, work->product_ns)));
	return true;
}

/* Conversions are left out: autocast makes them, and is worth it. */
bool advice_clones(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gpu_evidence_work *work = &bottleneck->gpu->work;
	char time[UNIT_TEXT_BYTES];

	if (bottleneck->sampled ||
	    !advice_gpu_share_exceeds(bottleneck, advice,
				      work_in_steps_ns(bottleneck, work->clones_ns)))
		return false;
	advice_say(
		advice,
		"the GPU copies tensors (clone(), contiguous()) for %.1f %% of the steps' time: "
		"%.1f times and %s a step.",
		advice->value, advice_gpu_per_step(bottleneck, work->clones),
		unit_format_ns(time, (uint64_t)advice_gpu_per_step(bottleneck, work->clones_ns)));
	return true;
}

bool advice_double_kernels(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gpu_evidence_work *work = &bottleneck->gpu->work;
	char time[UNIT_TEXT_BYTES];

	if (bottleneck_share(bottleneck, work->double_ns) <= advice->rule->threshold ||
	    !advice_exceeds(advice, 100.0 * (double)work->double_ns / (double)work->kernel_ns))
		return false;
	advice->gain_ns = work_in_steps_ns(bottleneck, work->double_ns);
	advice_say(
		advice,
		"matrix products in double precision (float64) take %.0f %% of the kernels' time "
		"in steps, %s a step.",
		advice->value,
		unit_format_ns(time, (uint64_t)advice_gpu_per_step(bottleneck, work->double_ns)));
	return true;
}

/* Time in which nothing but copies to, from or on the device ran. */
bool advice_exposed_copies(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t ns = bottleneck->loop.ns[STEP_memcpy];
	char time[UNIT_TEXT_BYTES];

	if (!loop_is_timed(bottleneck) || !advice_gpu_share_exceeds(bottleneck, advice, ns))
		return false;
	advice_say(advice,
		   "for %.1f %% of the steps' time, %s a step, the GPU only copies: no kernel runs "
		   "meanwhile.",
		   advice->value, unit_format_ns(time, ns / bottleneck->loop.steps));
	return true;
}

bool advice_blocking_copies(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gpu_evidence_work *work = &bottleneck->gpu->work;
	char bytes[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	if (!work->blocking_copies ||
	    !advice_gpu_share_exceeds(bottleneck, advice, work->blocking_ns))
		return false;
	advice_say(
		advice,
		"copies that hold the host up until they are done take %.1f %% of the steps' time: "
		"%.1f a step, %s and %s.",
		advice->value, advice_gpu_per_step(bottleneck, work->blocking_copies),
		unit_format_bytes(bytes,
				  (uint64_t)advice_gpu_per_step(bottleneck, work->blocking_bytes)),
		unit_format_ns(time, (uint64_t)advice_gpu_per_step(bottleneck, work->blocking_ns)));
	return true;
}

bool advice_blocking_sets(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gpu_evidence_work *work = &bottleneck->gpu->work;
	char time[UNIT_TEXT_BYTES];

	if (!work->blocking_sets ||
	    !advice_gpu_share_exceeds(bottleneck, advice, work->blocking_sets_ns))
		return false;
	advice_say(advice,
		   "memsets by calls that are not asynchronous take %.1f %% of the steps' time: "
		   "%.1f a "
		   "step, %s.",
		   advice->value, advice_gpu_per_step(bottleneck, work->blocking_sets),
		   unit_format_ns(time, (uint64_t)advice_gpu_per_step(bottleneck,
								      work->blocking_sets_ns)));
	return true;
}
