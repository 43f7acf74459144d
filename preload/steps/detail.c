/* SPDX-License-Identifier: MIT */
/*
 * Which steps have detail depends on their number and on the share that the collector wants, a word
 * of this process's entry, so a step costs a load and a hash. If two threads end steps at once, one
 * of them switches and the other one leaves it at that: the next step decides again.
 */
#include "preload/steps/detail.h"

#include <stddef.h>

#include "preload/record/entry.h"
#include "preload/record/event.h"
#include "preload/record/strings.h"
#include "preload/settings/settings.h"

_Atomic bool detail_off;

static _Atomic bool detail_is_busy;
static struct string detail_text; /* the setting */

static void tell_no_one(void)
{
}
static void (*detail_changed)(void) = tell_no_one;

void detail_on_change(void (*changed)(void))
{
	detail_changed = changed;
}

static bool detail_is_drawn(uint64_t number)
{
	const struct region_process *own = entry_own();
	uint32_t share = settings.budget.share;

	if (!share && own)
		share = atomic_load_explicit(&own->detail_share, memory_order_relaxed);
	return budget_draws(&settings.budget, share, number);
}

/* The record comes from an open gate: before the gates shut, after they open. */
static void detail_switch(bool on, uint64_t number)
{
	const struct recorder_field field[] = { { .number = number }, { .text = &detail_text } };

	if (on == detail_is_on() || atomic_exchange(&detail_is_busy, true))
		return;
	if (on)
		recorder_detail(true);
	(void)recorder_record(RECORDER_ANY, on ? EVT_detail_start : EVT_detail_stop, field, 2);
	atomic_store(&detail_off, !on);
	if (!on)
		recorder_detail(false);
	atomic_store(&detail_is_busy, false);
	detail_changed();
}

void detail_before_step(uint64_t number)
{
	if (!detail_is_on() && detail_is_drawn(number))
		detail_switch(true, number);
}

void detail_after_step(uint64_t number)
{
	if (budget_is_on(&settings.budget) && detail_is_on() && !detail_is_drawn(number))
		detail_switch(false, number);
}

/* The gates of a process that begins to record are open, those of detail too. */
static void detail_begin(void)
{
	atomic_store(&detail_off, false);
	atomic_store(&detail_is_busy, false);
	recorder_detail(true);
}

static void detail_start(void)
{
	detail_text = string_of(settings.budget_text);
	detail_begin();
}

const struct family family_detail = { .start = detail_start, .forked = detail_begin };
