/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's scheduler counts for a thread: /proc/PID/task/TID/schedstat, and the context
 * switches in its status. Nothing is known of threads of another pid namespace. One thread.
 *
 * From 6.12 on, the kernel may count a sleep as time in the queue for a CPU, if it moved the
 * sleeping thread to another CPU. A thread that was seen asleep cannot have been in the queue
 * before that: what is counted beyond is left out.
 */
#ifndef COLLECTOR_DRAIN_THREAD_SCHED_H
#define COLLECTOR_DRAIN_THREAD_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#define SCHED_STATUS_LOOKS 10u /* looks at a thread between two readings of its status */

struct thread_sched {
	uint64_t cpu_ns, runnable_ns, voluntary, involuntary;
	uint32_t looks;
	/* when it was seen asleep last, CLOCK_MONOTONIC; 0: never */
	uint64_t asleep_ns;
	uint64_t over_ns; /* what the kernel has counted as runnable and was not */
};

/* Returns false, and leaves `sched` as it is, if the thread is gone. */
bool thread_sched_read(uint32_t pid, uint32_t tid, struct thread_sched *sched);
/*
 * Takes what the kernel has counted by the moment `now_ns` (CLOCK_MONOTONIC). All of `sched` but
 * the two figures and `over_ns` stays.
 */
void thread_sched_take(struct thread_sched *sched, uint64_t cpu_ns, uint64_t runnable_ns,
		       uint64_t now_ns);
void thread_sched_read_switches(uint32_t pid, uint32_t tid, struct thread_sched *sched);
/* If a thread is gone and another one has its id, the numbers are smaller than before. */
bool thread_sched_is_later(const struct thread_sched *now, const struct thread_sched *before);

#endif
