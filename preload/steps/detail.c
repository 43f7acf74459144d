/* SPDX-License-Identifier: MIT */
/*
 * Which steps have detail depends on their number and on the share that the collector wants, a word
 * of this process's entry, so a step costs a load and a hash. If two threads end steps at once, one
 * of them switches and the other one leaves it at that: the next step decides again.
 *
 * Until a step has begun the collector decides, by another word of the entry, which hooks compare
 * as they do for INTERCEPT_CAPTURE=trigger. It records the windows itself, because a process may
 * notice late. The first step ends that for good.
 */
#include "preload/steps/detail.h"

#include <errno.h>

#include "preload/record/capture.h"
#include "preload/record/entry.h"
#include "preload/record/event.h"
#include "preload/record/strings.h"
#include "preload/settings/settings.h"

_Atomic bool detail_off;

static _Atomic bool detail_is_busy;
static _Atomic bool detail_has_steps; /* this process: its steps decide */
static struct string detail_text;     /* the setting */
static _Atomic uint64_t detail_step;  /* number of the current one */

static void tell_no_one(void)
{
}
static void (*detail_changed)(void) = tell_no_one;

void detail_on_change(void (*changed)(void))
{
	detail_changed = changed;
}

static _Atomic bool detail_is_held;

/* The share of the steps; 0: all of them so far. */
static uint32_t detail_share_now(void)
{
	const struct region_process *own = entry_own();

	if (settings.budget.share || !own)
		return settings.budget.share;
	return atomic_load_explicit(&own->detail_share, memory_order_relaxed);
}

static bool detail_is_drawn(uint64_t number)
{
	return atomic_load_explicit(&detail_is_held, memory_order_relaxed) ||
	       budget_draws(&settings.budget, detail_share_now(), number);
}

bool detail_is_drawing(uint64_t number, uint32_t *ret_share)
{
	*ret_share = settings.budget.share;
	return number >= settings.budget.first && detail_share_now();
}

/*
 * The record comes from an open gate: before the gates shut, after they open. If a thread has shut
 * them meanwhile to look, it comes late. `capture`: its number, 0: none.
 */
static void detail_set(bool on, const struct string *why, uint64_t step, uint64_t capture)
{
	const struct recorder_field field[] = { { .number = step },
						{ .text = why },
						{ .number = capture } };
	enum evt_id id = on ? EVT_detail_start : EVT_detail_stop;

	if (on)
		recorder_detail(true);
	if (!recorder_record(RECORDER_ANY, id, field, 3))
		recorder_record_late(id, field, 3);
	atomic_store(&detail_off, !on);
	if (!on)
		recorder_detail(false);
}

static void detail_switch(bool on, uint64_t number)
{
	if (on == detail_is_on() || atomic_exchange(&detail_is_busy, true))
		return;
	detail_set(on, &detail_text, number, 0);
	atomic_store(&detail_is_busy, false);
	detail_changed();
}

void detail_before_step(uint64_t number)
{
	atomic_store_explicit(&detail_has_steps, true, memory_order_relaxed);
	atomic_store_explicit(&detail_step, number, memory_order_relaxed);
	if (!detail_is_on() && !settings.capture_light && detail_is_drawn(number))
		detail_switch(true, number);
}

void detail_after_step(uint64_t number)
{
	if (budget_is_on(&settings.budget) && detail_is_on() && !detail_is_drawn(number))
		detail_switch(false, number);
}

void detail_hold(bool on, uint64_t number)
{
	if (!budget_is_on(&settings.budget))
		return;
	atomic_store(&detail_is_held, on);
	if (on)
		detail_switch(true, number);
}

/* --- windows of time --- */

bool detail_is_by_time(void)
{
	return settings.budget.first_ns &&
	       !atomic_load_explicit(&detail_has_steps, memory_order_relaxed);
}

/*
 * Whoever is first asks again, in case the second saw a newer word and left. The fence makes the
 * question later than the end of being busy. The gates are set also if nothing changes, because a
 * thread may have shut them to look.
 */
static void detail_follow_time(void)
{
	const struct region_process *own = entry_own();
	uint64_t word;

	if (!own)
		return;
	do {
		word = atomic_load_explicit(&own->detail_asked, memory_order_acquire);
		if (atomic_exchange(&detail_is_busy, true))
			return;
		recorder_followed(word);
		if (detail_is_by_time())
			atomic_store(&detail_off, word % 2 != 0);
		recorder_detail(detail_is_on());
		atomic_store(&detail_is_busy, false);
		atomic_thread_fence(memory_order_seq_cst);
	} while (recorder_is_asked());
}

/* PyTorch's callbacks follow at its next operator: its lock may be held here. */
static void detail_look_within_malloc(void)
{
	int saved = errno;

	detail_follow_time();
	errno = saved;
}

void detail_look_at_time(void)
{
	if (recorder_is_open() && recorder_gates->generation && recorder_is_asked())
		detail_follow_time();
}

/* --- INTERCEPT_CAPTURE=trigger,light --- */

/* Called by one thread at a time, also within malloc(). */
static void detail_capture(bool on, const struct string *why, uint64_t number)
{
	detail_set(on, why, atomic_load_explicit(&detail_step, memory_order_relaxed), number);
}

/* The gates of a process that begins to record are open, those of detail too. */
static void detail_begin(void)
{
	atomic_store(&detail_is_busy, false);
	atomic_store(&detail_is_held, false);
	atomic_store(&detail_has_steps, false);
	/* a child goes on with the capture of its parent */
	atomic_store(&detail_off, settings.capture_light && !capture_is_open());
	recorder_detail(detail_is_on());
}

static void detail_start(void)
{
	detail_text = string_of(settings.budget_text);
	if (settings.budget.first_ns)
		recorder_on_asked(detail_look_within_malloc, true);
	if (settings.capture_light)
		capture_set_light(detail_capture);
	detail_begin();
}

const struct family family_detail = { .start = detail_start, .forked = detail_begin };
