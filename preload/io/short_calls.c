/* SPDX-License-Identifier: MIT */
/*
 * A signal handler may come between any two instructions, so the sums are added to and emptied by
 * one instruction each. A handler's calls may then be in a sum with the time of others; none is
 * lost or counted twice.
 */
#include "preload/io/short_calls.h"

#include "collector/arch/arch.h"
#include "preload/record/event.h"
#include "preload/stacks/long_calls.h"

static void short_calls_put(struct recorder_lane *lane, struct region_waits *waits, uint64_t now)
{
	uint64_t calls = atomic_exchange_explicit(&waits->io_calls, 0, memory_order_relaxed);
	uint64_t ticks = atomic_exchange_explicit(&waits->io_ticks, 0, memory_order_relaxed);

	(void)recorder_put_in_block(lane, recorder_number_in_block(EVT_io_short), now,
				    (uint64_t[]){ calls, settings.io_min_ns, ticks }, 3);
}

bool short_calls_is_short(uint64_t ticks)
{
	return short_calls_are_summed() && ticks < long_calls_ticks(settings.io_min_ns);
}

bool short_calls_take(struct recorder_lane *lane, uint64_t now, uint64_t ticks)
{
	struct region_waits *waits = short_calls_is_short(ticks) ? recorder_waits(lane) : NULL;

	if (!waits)
		return false;
	arch_word_add(&waits->io_calls, 1);
	arch_word_add(&waits->io_ticks, ticks);
	if (atomic_load_explicit(&waits->io_ticks, memory_order_relaxed) >=
	    long_calls_ticks(settings.io_min_ns))
		short_calls_put(lane, waits, now);
	return true;
}
