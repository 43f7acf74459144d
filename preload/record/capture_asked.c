/* SPDX-License-Identifier: MIT */
/*
 * What is wanted follows from the region's words and the number of the step. capture_follow() sets
 * the gates to it and asks again, so it does not matter which thread notices a change first.
 */
#include "preload/record/capture_asked.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "collector/region/region.h"
#include "preload/base/clock.h"
#include "preload/record/capture.h"
#include "preload/record/entry.h"
#include "preload/record/recorder.h"
#include "preload/record/strings.h"

bool capture_is_asked;

static _Atomic uint64_t step_now; /* number of the step that runs */
static _Atomic uint64_t step_began_tsc;
static _Atomic uint32_t made_number; /* the capture that the gates are open for, or were last */
/* Of a capture that begins with the next step: its number, and its first step in this process. */
static _Atomic uint32_t own_number;
static _Atomic uint64_t own_first;

static const char reason[] = "trigger";

static struct string asked_reason(void)
{
	return string_of_bytes(reason, sizeof(reason) - 1);
}

/* Copies what is asked; false if the collector changes it meanwhile, or if it asks for nothing. */
static bool asked_read(uint64_t *ret_word, uint64_t *ret_steps, uint64_t *ret_from)
{
	const struct region_asked *asked = &entry_region()->asked;
	uint64_t word = atomic_load_explicit(&asked->word, memory_order_acquire);

	*ret_word = word;
	*ret_steps = atomic_load_explicit(&asked->steps, memory_order_relaxed);
	*ret_from = atomic_load_explicit(&asked->from, memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	return word % 2 && atomic_load_explicit(&asked->word, memory_order_relaxed) == word;
}

/* Whether the step that runs is one of the capture's. */
static bool step_is_asked(uint32_t number, uint64_t steps, uint64_t from)
{
	uint64_t now = atomic_load(&step_now);

	if (from == REGION_FROM_NEXT) {
		if (atomic_load(&own_number) != number)
			return false;
		from = atomic_load(&own_first);
	}
	return now >= from && now - from < steps;
}

static bool asked_is_wanted(void)
{
	uint64_t word, steps, from;
	uint32_t number;

	if (!asked_read(&word, &steps, &from))
		return false;
	number = region_asked_number(word);
	if (steps && !step_is_asked(number, steps, from))
		return false;
	if (capture_is_open())
		/* one that ended unnoticed ends first */
		return atomic_load(&made_number) == number;
	atomic_store(&made_number, number);
	capture_set_number(number);
	return true;
}

/* Called with each switch, by one thread at a time. */
static void asked_publish(bool on)
{
	struct region_process *self = entry_own();
	uint32_t number = atomic_load(&made_number);

	if (!self)
		return;
	atomic_store(on ? &self->capture_begin_tsc : &self->capture_end_tsc, clock_ticks());
	if (!on)
		atomic_store(&self->capture_done, number);
	atomic_store(&self->capture_open, on ? number : 0);
}

static void asked_follow(void)
{
	const struct string why = asked_reason();
	int saved = errno;

	recorder_followed(atomic_load(&entry_region()->asked.word));
	capture_follow(asked_is_wanted, &why);
	errno = saved;
}

static void asked_look_within_malloc(void)
{
	const struct string why = asked_reason();
	int saved = errno;

	recorder_followed(atomic_load(&entry_region()->asked.word));
	capture_follow_within_malloc(asked_is_wanted, &why);
	errno = saved;
}

void capture_asked_follow(void)
{
	int saved;

	if (!recorder_is_open() || !recorder_gates->generation)
		return;
	if (recorder_is_asked())
		asked_follow();
	saved = errno;
	capture_catch_up();
	errno = saved;
}

/* The collector reads `steps` first, so it never sees a length that is not there yet. */
static void step_publish(uint64_t number)
{
	struct region_process *self = entry_own();
	uint64_t now = clock_ticks();
	uint64_t before = atomic_exchange(&step_began_tsc, now);
	uint64_t count;

	if (!self || !number)
		return;
	count = atomic_load_explicit(&self->steps, memory_order_relaxed);
	/* of the first one, the begin is not known */
	atomic_store_explicit(&self->step_ticks[count % REGION_STEPS], before ? now - before : 0,
			      memory_order_relaxed);
	atomic_store_explicit(&self->step_tsc, now, memory_order_relaxed);
	atomic_store_explicit(&self->steps, count + 1, memory_order_release);
}

void capture_asked_count_step(uint64_t number)
{
	if (recorder_is_open() && recorder_gates->generation)
		step_publish(number);
}

void capture_asked_step(uint64_t number)
{
	uint64_t word, steps, from;

	if (!recorder_is_open() || !recorder_gates->generation)
		return;
	atomic_store(&step_now, number);
	step_publish(number);
	if (asked_read(&word, &steps, &from) && steps && from == REGION_FROM_NEXT &&
	    atomic_load(&own_number) != region_asked_number(word)) {
		atomic_store(&own_first, number);
		atomic_store(&own_number, region_asked_number(word));
	}
	asked_follow();
	capture_catch_up();
}

void capture_asked_init(bool is_asked)
{
	capture_is_asked = is_asked;
	recorder_on_asked(is_asked ? asked_look_within_malloc : NULL, false);
	if (is_asked)
		capture_on_switch(asked_publish);
}

/* The child goes on with the capture that its parent makes. */
static void asked_forked(void)
{
	atomic_store(&step_began_tsc, 0);
	if (capture_is_asked && capture_is_open())
		asked_publish(true);
}

const struct family family_capture_asked = { .forked = asked_forked };
