/* SPDX-License-Identifier: MIT */
/*
 * Windows begin and end at the edges of steps, which tell us on the thread that ended the step, and
 * with no call of CUDA under way on it. An edge without a change costs a load and a hash.
 */
#include "preload/gpu/gpu_windows.h"

#include <errno.h>
#include <string.h>

#include "preload/base/clock.h"
#include "preload/gpu/gpu.h"
#include "preload/gpu/gpu_asked.h"
#include "preload/gpu/gpu_budget.h"
#include "preload/record/correlation.h"
#include "preload/record/event.h"
#include "preload/settings/settings.h"
#include "preload/steps/detail.h"
#include "preload/steps/steps.h"

/* At least so many steps pass between CUPTI's start and a window. */
#define LEAD_STEPS 2u
/*
 * A program that launches a CUDA graph in each step, and never waits, may be so many steps ahead of
 * the GPU: as many launches as the GPU's queue holds.
 */
#define QUEUE_STEPS 1024u

_Atomic int gpu_stage;

static _Atomic bool windows_busy;
/* since the stage was entered */
static _Atomic uint32_t windows_calls;
static _Atomic bool windows_waited; /* for the GPU's queue, to its end */
/* the step at whose begin the stage began; SINCE_NOW: it is not known yet */
static _Atomic uint64_t windows_since;
#define SINCE_NOW UINT64_MAX
static uint64_t windows_until; /* of a window: the first step behind it */

static void windows_enter(enum gpu_stage stage, uint64_t step)
{
	atomic_store(&windows_calls, 0);
	atomic_store(&windows_waited, false);
	atomic_store(&windows_since, step);
	atomic_store(&gpu_stage, stage);
}

void gpu_windows_take_call(const char *function, bool counts)
{
	if (counts) {
		atomic_store(&windows_calls, 0);
		atomic_store(&windows_waited, false);
		return;
	}
	atomic_fetch_add_explicit(&windows_calls, 1, memory_order_relaxed);
	if (strstr(function, "Synchronize"))
		atomic_store_explicit(&windows_waited, true, memory_order_relaxed);
}

/* Whatever was in the GPU's queue when the stage began has left it. */
static bool windows_queue_has_passed(uint64_t step)
{
	return atomic_load(&windows_waited) || atomic_load(&windows_calls) >= GPU_REST_CALLS ||
	       step - windows_since >= QUEUE_STEPS;
}

static void windows_record(bool on, uint64_t step)
{
	const struct recorder_field field[] = { { .number = on }, { .number = step } };

	if (!recorder_record(EVT_FAMILY_gpu, EVT_gpu_window, field, 2))
		recorder_record_late(EVT_gpu_window, field, 2);
}

/* INTERCEPT_CAPTURE=trigger,light */
static bool windows_are_asked_for(void)
{
	return settings.capture_light && capture_is_open();
}

/* --- INTERCEPT_BUDGET --- */

/* Half of the budget is for the other detail (collector/processes/process_steps.c). */
#define GPU_PART 2u

static struct gpu_budget windows_budget; /* whoever is windows_busy */
static uint64_t windows_began, windows_began_ns;
static bool windows_were_away; /* when that step began */

static bool windows_budget_draws(uint64_t step)
{
	uint32_t share;

	if (!detail_is_drawing(step, &share))
		return true;
	if (!share)
		share = gpu_budget_share(&windows_budget,
					 settings.budget.parts_per_million / GPU_PART);
	return gpu_steps_draw_share(share, step);
}

/* The step before `step` ends now. The one behind CUPTI's end may still hold its cost. */
static void windows_measure(uint64_t step)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	bool is_away = atomic_load(&gpu_stage) == GPU_STAGE_OFF;
	bool was_away = windows_were_away;
	uint32_t share;

	if (step == windows_began + 1 && detail_is_drawing(windows_began, &share)) {
		enum gpu_budget_step kind = !is_away || !was_away ? GPU_BUDGET_WINDOW
					    : detail_is_on()      ? GPU_BUDGET_DETAIL
								  : GPU_BUDGET_PLAIN;

		gpu_budget_take_step(&windows_budget, kind, now_ns - windows_began_ns);
		if (is_away && !was_away)
			gpu_budget_end_window(&windows_budget);
	}
	windows_were_away = is_away;
	windows_began = step;
	windows_began_ns = now_ns;
}

/* --- the stages --- */

static bool windows_draw(uint64_t step)
{
	if (windows_are_asked_for())
		return true;
	return settings.gpu_steps.by_budget ? windows_budget_draws(step)
					    : gpu_steps_draw(&settings.gpu_steps, step);
}

/* Calls of now on are recorded, with their numbers. */
static void windows_open(uint64_t step)
{
	windows_until = step +
			(settings.gpu_steps.by_budget ? GPU_STEPS_BLOCK : settings.gpu_steps.block);
	detail_hold(true, step);
	windows_record(true, step);
	windows_enter(GPU_STAGE_COUNTS, step);
	gpu_asked_correlate();
}

static void windows_shut(uint64_t step)
{
	windows_enter(GPU_STAGE_TRAILS, step);
	gpu_asked_correlate();
	windows_record(false, step);
	detail_hold(false, step);
}

/* Before the event of the step that begins. */
static void windows_before(uint64_t step)
{
	int stage = atomic_load(&gpu_stage);
	uint64_t unknown = SINCE_NOW;

	(void)atomic_compare_exchange_strong(&windows_since, &unknown, step);
	if (settings.gpu_steps.by_budget)
		windows_measure(step);
	if (stage >= GPU_STAGE_TRAILS && windows_draw(step + LEAD_STEPS)) {
		windows_enter(GPU_STAGE_LEADS, step);
		gpu_work_wanted();
	} else if (stage == GPU_STAGE_LEADS && windows_queue_has_passed(step) &&
		   (step - windows_since >= LEAD_STEPS || windows_are_asked_for())) {
		windows_open(step);
	}
}

/* After it. */
static void windows_after(uint64_t step)
{
	int stage = atomic_load(&gpu_stage);

	if (stage == GPU_STAGE_COUNTS && step >= windows_until && !windows_draw(step)) {
		windows_shut(step);
	} else if (stage == GPU_STAGE_TRAILS && windows_queue_has_passed(step) &&
		   !windows_draw(step + LEAD_STEPS)) {
		__atomic_store_n(&correlation_off_ticks, clock_ticks(), __ATOMIC_RELAXED);
		windows_enter(GPU_STAGE_OFF, step);
		gpu_work_unwanted();
	}
}

static void windows_edge(uint64_t step, bool is_recorded)
{
	int saved = errno;

	if (!gpu_has_started() || atomic_exchange(&windows_busy, true))
		return;
	if (is_recorded)
		windows_after(step);
	else
		windows_before(step);
	atomic_store(&windows_busy, false);
	errno = saved;
}

void gpu_windows_opened(void)
{
	if (windows_are_asked_for() && atomic_load(&gpu_stage) == GPU_STAGE_OFF)
		windows_enter(GPU_STAGE_LEADS, SINCE_NOW);
}

/* Other captures say themselves what is recorded. */
void gpu_windows_start(void)
{
	if (!(gpu_steps_are_drawn(&settings.gpu_steps) ||
	      (settings.gpu_steps.by_budget && budget_is_on(&settings.budget))) ||
	    (settings.capture != SETTINGS_CAPTURE_ALL && !settings.capture_light))
		return;
	windows_until = settings.gpu_steps.first;
	steps_on_edge(windows_edge);
}

void gpu_windows_forked(void)
{
	atomic_store(&windows_busy, false);
	windows_until = settings.gpu_steps.first;
	windows_enter(GPU_STAGE_COUNTS, 0);
}
