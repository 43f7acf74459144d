/* SPDX-License-Identifier: MIT */
/*
 * TCP_INFO has the milliseconds since the last data came, and since the last were sent, counted in
 * ticks of the kernel's clock (1 to 10 ms). A count may be one tick too high or too low, so one is
 * taken away from what is made of it: no result is too long.
 */
#include "preload/requests/arrival.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/base/clock.h"

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

static uint64_t arrival_less(uint64_t ns, uint64_t by_ns)
{
	return ns > by_ns ? ns - by_ns : 0;
}

struct arrival arrival_look(int fd, uint64_t held_since_ns)
{
	struct tcp_info info;
	unsigned int length = sizeof(info);
	const size_t wanted = offsetof(struct tcp_info, tcpi_last_data_recv) +
			      sizeof(info.tcpi_last_data_recv);
	uint64_t received_ns, sent_ns, tick_ns = arrival_tick_ns();
	struct arrival arrival = { 0 };

	if (syscall(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, &info, &length) || length < wanted)
		return arrival;
	received_ns = (uint64_t)info.tcpi_last_data_recv * NS_PER_MS;
	sent_ns = (uint64_t)info.tcpi_last_data_sent * NS_PER_MS;
	arrival.waited_ns = arrival_less(received_ns, tick_ns);
	if (held_since_ns)
		arrival.held_ns = arrival_less(
			arrival_less(clock_ns(CLOCK_MONOTONIC), held_since_ns), sent_ns + tick_ns);
	return arrival;
}

/* Where the network takes less than it could, TCP_NODELAY says whose wish that is. */
bool arrival_is_held(int fd)
{
	int unsent = 0, is_at_once = 1;
	unsigned int length = sizeof(is_at_once);

	return !syscall(SYS_ioctl, fd, SIOCOUTQNSD, &unsent) && unsent > 0 &&
	       !syscall(SYS_getsockopt, fd, IPPROTO_TCP, TCP_NODELAY, &is_at_once, &length) &&
	       !is_at_once;
}
