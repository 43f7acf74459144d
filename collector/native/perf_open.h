/* SPDX-License-Identifier: MIT */
/*
 * A perf event: the CPU time of a thread, and of the threads that it creates, on one CPU. Each
 * sample has the user's registers and the first part of the stack. This determines the form of the
 * records (perf_ring.h).
 *
 * One thread.
 */
#ifndef COLLECTOR_NATIVE_PERF_OPEN_H
#define COLLECTOR_NATIVE_PERF_OPEN_H

#include <stdbool.h>
#include <stdint.h>

/* a record has less than 64 KiB; only the existing part of the stack is copied */
#define PERF_STACK_BYTES (60u << 10)

struct perf_wish {
	uint32_t tid, cpu;
	uint64_t period_ns;
	/* time in the kernel is not counted, because the kernel does not allow it */
	bool user_only;
};

/* Returns the descriptor, close-on-exec, or -errno. */
int perf_open_samples(const struct perf_wish *wish);

/* Opens an event that never occurs, to which a ring is attached. */
int perf_open_holder(uint32_t cpu);

/* Returns the kernel's id of the event, which inherited events share; 0: unknown. */
uint64_t perf_id(int fd);

/* Lists the CPUs that are online, by the kernel's numbers: at most `room`. */
uint32_t perf_cpus(uint32_t *ret_cpu, uint32_t room);
/* "0-3,8": for tests. */
uint32_t perf_cpus_of(const char *text, uint32_t *ret_cpu, uint32_t room);

#endif
