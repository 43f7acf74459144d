/* SPDX-License-Identifier: MIT */
/*
 * The event is the software task clock, which needs no hardware counter. Its flag inherit_thread is
 * set by its bit number, because older kernel headers have no name for it. Also lists the CPUs that
 * are online.
 */
#include "collector/native/perf_open.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/arch/arch.h"
#include "collector/processes/proc.h"

/* word of the attributes that contains the flags: they have names only in newer headers */
#define FLAGS_WORD 5u
#define INHERIT_THREAD (1ull << 35)
#define TEXT_BYTES 4096u

_Static_assert(offsetof(struct perf_event_attr, read_format) == (FLAGS_WORD - 1) * sizeof(uint64_t),
	       "the flags follow read_format");

static long perf_event_open(const struct perf_event_attr *attr, long tid, long cpu)
{
	return syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int perf_open_samples(const struct perf_wish *wish)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = wish->period_ns,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.inherit = 1,
		.exclude_kernel = wish->user_only,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sample_regs_user = ARCH_PERF_REGISTERS,
		.sample_stack_user = PERF_STACK_BYTES,
	};
	uint64_t flags;
	long fd;

	memcpy(&flags, (char *)&attr + FLAGS_WORD * sizeof(flags), sizeof(flags));
	flags |= INHERIT_THREAD;
	memcpy((char *)&attr + FLAGS_WORD * sizeof(flags), &flags, sizeof(flags));
	fd = perf_event_open(&attr, wish->tid, wish->cpu);
	return fd < 0 ? -errno : (int)fd;
}

int perf_open_holder(uint32_t cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	long fd = perf_event_open(&attr, 0, cpu);

	return fd < 0 ? -errno : (int)fd;
}

uint64_t perf_id(int fd)
{
	uint64_t id = 0;

	return ioctl(fd, PERF_EVENT_IOC_ID, &id) ? 0 : id;
}

uint32_t perf_cpus_of(const char *text, uint32_t *ret_cpu, uint32_t room)
{
	uint32_t count = 0;

	while (*text >= '0' && *text <= '9') {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last && count < room; first++)
			ret_cpu[count++] = (uint32_t)first;
		text = *end == ',' ? end + 1 : "";
	}
	return count;
}

uint32_t perf_cpus(uint32_t *ret_cpu, uint32_t room)
{
	char text[TEXT_BYTES];
	size_t length = proc_read_file("/sys/devices/system/cpu/online", text, sizeof(text) - 1);
	uint32_t count;

	text[length] = 0;
	count = perf_cpus_of(text, ret_cpu, room);
	if (count)
		return count;
	for (long online = sysconf(_SC_NPROCESSORS_ONLN); count < online && count < room; count++)
		ret_cpu[count] = count;
	return count;
}
