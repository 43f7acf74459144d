/* SPDX-License-Identifier: MIT */
/*
 * A waiting thread and the thread for which it waits are read in any order. So the lines of holders
 * are put into the samples once all threads of the process have been read.
 */
#include "collector/samples/holders.h"

#include "collector/samples/mutex.h"

static uint32_t place_of_thread(struct samples *samples, const struct sampled_process *sampled,
				uint32_t tid)
{
	uint32_t next = 0;
	const struct sampled_thread *thread = samples_thread_of(samples, sampled->number, tid,
								&next);

	return thread && thread->last.looks && thread->last.state != EVT_PYTHON_TORN
		       ? thread->last.place
		       : 0;
}

void holders_note_gil(struct samples *samples, const struct sampled_process *sampled,
		      const struct holder *holder)
{
	uint32_t place = place_of_thread(samples, sampled, holder->tid);

	for (uint32_t i = 0; i < samples->thread_count; i++) {
		struct sampled_thread *thread = &samples->thread[i];
		bool is_holder = thread->address == holder->address;

		if (thread->process != sampled->number || thread->gil != holder->gil ||
		    thread->seen != samples->looks || thread->plan != PLAN_WALK)
			continue;
		/* a thread that waits for itself has just got the lock */
		if (is_holder != (thread->last.state == EVT_PYTHON_GIL)) {
			thread->last.holder = holder->tid;
			thread->last.holder_place = is_holder ? 0 : place;
		}
	}
}

/*
 * While the thread rested, the owner of what it waits for may have changed: then a new sample
 * begins now.
 */
static void thread_note_owner(struct samples *samples, struct sampled_process *sampled,
			      struct sampled_thread *thread)
{
	uint32_t owner = mutex_owner(&samples->memory, thread->files.pid, thread->look.wait.mutex);
	uint32_t place = owner ? place_of_thread(samples, sampled, owner) : 0;
	struct sample *last = &thread->last;

	if (last->owner == owner && last->owner_place == place)
		return;
	if (last->looks > 1) {
		struct sample next = *last;

		last->looks--;
		samples_settle_thread(samples, sampled, thread);
		next.looks = 1;
		next.cpu_us = next.ready_us = 0;
		*last = next;
	}
	last->owner = owner;
	last->owner_place = place;
}

void holders_note_mutexes(struct samples *samples, struct sampled_process *sampled)
{
	for (uint32_t i = 0; i < samples->thread_count; i++) {
		struct sampled_thread *thread = &samples->thread[i];

		if (thread->process == sampled->number && thread->seen == samples->looks &&
		    thread->look.wait.mutex && thread->last.looks &&
		    thread->last.state == EVT_PYTHON_LOCK &&
		    (thread->plan == PLAN_WALK || thread->plan == PLAN_REST))
			thread_note_owner(samples, sampled, thread);
	}
}
