/* SPDX-License-Identifier: MIT */
/*
 * The exit status of a process that is not our child. It comes from the pidfd after the process was
 * reaped (PIDFD_GET_INFO with PIDFD_INFO_EXIT, Linux 6.15), and from /proc/PID/stat before that.
 */
#include "collector/processes/watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/processes/proc.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* linux/pidfd.h of 6.15, with names of our own, because most machines have older headers. */
struct watch_pidfd_info {
	uint64_t mask;
	uint64_t cgroupid;
	uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
	int32_t exit_code;
};
_Static_assert(sizeof(struct watch_pidfd_info) == 64, "PIDFD_INFO_SIZE_VER0");
#define WATCH_PIDFD_GET_INFO _IOWR(0xFF, 11, struct watch_pidfd_info)
#define WATCH_PIDFD_INFO_EXIT (1ull << 3)

void watch_init(struct watch *watch, uint32_t pid, int fd)
{
	struct proc_stat stat;

	*watch = (struct watch){ .pid = pid, .fd = -1 };
	if (!pid)
		return;
	watch->fd = fd ? fd : (int)syscall(SYS_pidfd_open, pid, 0);
	if (proc_stat(pid, &stat))
		watch->start_ticks = stat.start_ticks;
}

void watch_release(struct watch *watch)
{
	if (watch->fd >= 0)
		close(watch->fd);
	watch->fd = -1;
}

bool watch_is_over(const struct watch *watch)
{
	struct pollfd poll_fd = { .fd = watch->fd, .events = POLLIN };
	struct proc_stat stat;

	if (!watch->pid)
		return true;
	if (watch->fd >= 0)
		return poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLIN | POLLHUP | POLLERR));
	if (watch->start_ticks && proc_stat(watch->pid, &stat))
		return stat.zombie || stat.start_ticks != watch->start_ticks;
	return !proc_process_exists(watch->pid);
}

int watch_wait_status(const struct watch *watch)
{
	struct watch_pidfd_info info = { .mask = WATCH_PIDFD_INFO_EXIT };
	struct proc_stat stat;

	if (proc_stat(watch->pid, &stat) && stat.zombie && stat.wait_status >= 0 &&
	    stat.start_ticks == watch->start_ticks)
		return stat.wait_status;
	if (watch->fd >= 0 && ioctl(watch->fd, WATCH_PIDFD_GET_INFO, &info) == 0 &&
	    (info.mask & WATCH_PIDFD_INFO_EXIT))
		return info.exit_code;
	return WATCH_STATUS_UNKNOWN;
}
