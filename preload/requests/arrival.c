/* SPDX-License-Identifier: MIT */
/*
 * TCP_INFO has the milliseconds since the last data came, counted in ticks of the kernel's clock
 * (1 to 10 ms). The count may be one tick too high, so one is taken away: the result is never too
 * long.
 */
#include "preload/requests/arrival.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS 1000000u
#define TICK_MAX_NS (100 * (uint64_t)NS_PER_MS)

/* The resolution of the coarse clock is a tick. Two threads that come first find the same. */
static uint64_t arrival_tick_ns(void)
{
	static uint64_t found_ns;
	uint64_t tick_ns = __atomic_load_n(&found_ns, __ATOMIC_RELAXED);
	struct timespec tick = { 0, 0 };

	if (tick_ns)
		return tick_ns;
	tick_ns = TICK_MAX_NS;
	if (!syscall(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, &tick) && !tick.tv_sec &&
	    tick.tv_nsec)
		tick_ns = (uint64_t)tick.tv_nsec;
	__atomic_store_n(&found_ns, tick_ns, __ATOMIC_RELAXED);
	return tick_ns;
}

uint64_t arrival_waited_ns(int fd)
{
	struct tcp_info info;
	unsigned int length = sizeof(info);
	const size_t wanted = offsetof(struct tcp_info, tcpi_last_data_recv) +
			      sizeof(info.tcpi_last_data_recv);
	uint64_t waited_ns, tick_ns = arrival_tick_ns();

	if (syscall(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, &info, &length) || length < wanted)
		return 0;
	waited_ns = (uint64_t)info.tcpi_last_data_recv * NS_PER_MS;
	return waited_ns > tick_ns ? waited_ns - tick_ns : 0;
}
