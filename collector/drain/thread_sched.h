/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's scheduler counts for a thread: /proc/PID/task/TID/schedstat, and the context
 * switches in its status. Nothing is known of threads of another pid namespace. One thread.
 */
#ifndef COLLECTOR_DRAIN_THREAD_SCHED_H
#define COLLECTOR_DRAIN_THREAD_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#define SCHED_STATUS_LOOKS 10u /* looks at a thread between two readings of its status */

struct thread_sched {
	uint64_t cpu_ns, runnable_ns, voluntary, involuntary;
	uint32_t looks;
};

/* Returns false, and leaves `sched` as it is, if the thread is gone. */
bool thread_sched_read(uint32_t pid, uint32_t tid, struct thread_sched *sched);
void thread_sched_read_switches(uint32_t pid, uint32_t tid, struct thread_sched *sched);
/* If a thread is gone and another one has its id, the numbers are smaller than before. */
bool thread_sched_is_later(const struct thread_sched *now, const struct thread_sched *before);

#endif
