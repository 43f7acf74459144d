/* SPDX-License-Identifier: MIT */
/*
 * Sets the timer slack of the calling thread to 1 us and, under the normal policy, its scheduler
 * slice to the shortest. The kernel may refuse both.
 */
#include "collector/samples/prompt.h"

#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/core/clock.h"

#define LATE_NS 10000u   /* time in a run queue: preempting another thread takes less */
#define SLICE_NS 100000u /* the shortest slice that the kernel allows */

/* struct sched_attr of linux/sched/types.h. */
struct sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

void prompt_begin(struct prompt *prompt)
{
	struct sched_attributes now = { .size = 0 };

	*prompt = (struct prompt){ .ready_ns = 0 };
	thread_files_init(&prompt->own, (uint32_t)getpid(), (uint32_t)getpid());
	(void)prctl(PR_SET_TIMERSLACK, 1000ul);
	if (syscall(SYS_sched_getattr, 0, &now, sizeof(now), 0) || now.policy != SCHED_OTHER)
		return;
	now.runtime = SLICE_NS;
	(void)syscall(SYS_sched_setattr, 0, &now, 0);
}

void prompt_end(struct prompt *prompt)
{
	thread_files_close(&prompt->own);
}

void prompt_rest(struct prompt *prompt)
{
	struct thread_look own = { .turns = 0 };

	if (thread_times(&prompt->own, &own))
		prompt->ready_ns = own.ready_ns;
}

bool prompt_is_late(struct prompt *prompt)
{
	struct thread_look own = { .turns = 0 };

	return thread_times(&prompt->own, &own) && own.ready_ns - prompt->ready_ns > LATE_NS;
}

uint64_t prompt_now_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

uint64_t prompt_cpu_ns(void)
{
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t prompt_vary(uint64_t *random, uint64_t period_ns)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return period_ns / 2 + *random % (period_ns + 1);
}
