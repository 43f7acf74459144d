/* SPDX-License-Identifier: MIT */
/*
 * See prompt.h. Sets the timer slack of the calling thread to 1 us and, under the normal policy,
 * its scheduler slice to the shortest. Both may be refused.
 */
#include "collector/samples/prompt.h"

#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLICE_NS 100000u /* the shortest that there is */

/* As the kernel has it, linux/sched/types.h. */
struct sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

void prompt_begin(void)
{
	struct sched_attributes now = { .size = 0 };

	(void)prctl(PR_SET_TIMERSLACK, 1000ul);
	if (syscall(SYS_sched_getattr, 0, &now, sizeof(now), 0) || now.policy != SCHED_OTHER)
		return;
	now.runtime = SLICE_NS;
	(void)syscall(SYS_sched_setattr, 0, &now, 0);
}
