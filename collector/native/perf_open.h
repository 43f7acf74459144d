/* SPDX-License-Identifier: MIT */
/*
 * One perf event: the CPU time of a thread on one CPU, of the threads that it starts too, with the user's registers and the
 * first part of the stack in each sample. What a record consists of follows from here (perf_ring.h).
 *
 * One thread.
 */
#ifndef COLLECTOR_NATIVE_PERF_OPEN_H
#define COLLECTOR_NATIVE_PERF_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#define PERF_STACK_BYTES \
	(60u << 10) /* a record has less than 64 KiB; what the stack does not have is not copied */
#define PERF_REGISTERS 3u /* rbp, rsp, rip, in this order */

struct perf_wish {
	uint32_t tid, cpu;
	uint64_t period_ns;
	bool user_only; /* time in the kernel does not count, as the kernel allows no more */
};

/* The descriptor, close-on-exec, or -errno. */
int perf_open_samples(const struct perf_wish *wish);

/* An event that never happens: what a ring is made of. */
int perf_open_holder(uint32_t cpu);

/* What the kernel calls the event, and the event of a thread that inherited it; 0: it does not say. */
uint64_t perf_id(int fd);

/* CPUs that are online, as the kernel numbers them: at most `room`. */
uint32_t perf_cpus(uint32_t *ret_cpu, uint32_t room);
/* "0-3,8": for tests. */
uint32_t perf_cpus_of(const char *text, uint32_t *ret_cpu, uint32_t room);

#endif
