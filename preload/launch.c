/* SPDX-License-Identifier: MIT */
/*
 * clone(CLONE_VM | CLONE_VFORK) twice: the first child makes the second and ends, so that the second,
 * which becomes the collector, belongs to init (or to the nearest subreaper). Both run in our memory
 * on stacks of their own while this thread is suspended: they may use nothing but system calls.
 *
 * The first child has no exit signal, so that the program's SIGCHLD handler hears nothing, and it is
 * waited for with __WALL by number, so that the program's own children are left alone.
 */
#include "preload/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAUNCH_STACK_BYTES 16384u

struct launch {
	const char *path;
	char number[12]; /* of region_fd */
	int region_fd;
	volatile int error; /* errno of the step that failed */
};

/* One start at a time: init.c's state sees to that. */
static _Alignas(16) char launch_stack[2][LAUNCH_STACK_BYTES];

static void launch_number(struct launch *l)
{
	char digits[12];
	int count = 0, at = 0;
	unsigned int rest = (unsigned int)l->region_fd;

	do
		digits[count++] = (char)('0' + rest % 10);
	while ((rest /= 10) != 0);
	while (count)
		l->number[at++] = digits[--count];
	l->number[at] = 0;
}

static int launch_become(void *argument)
{
	struct launch *l = argument;
	char *arguments[] = { (char *)"intercept-collector", l->number, NULL };
	char *environment[] = { NULL };

	/* what ld.so has to say when a library is missing is nothing for the program's terminal, and the
	 * numbers are needed where the program may open few files */
	for (int fd = 0; fd < 3; fd++)
		if (fd != l->region_fd)
			syscall(SYS_close, fd);
	syscall(SYS_setsid);
	if (syscall(SYS_fcntl, l->region_fd, F_SETFD, 0) < 0 ||
	    syscall(SYS_execve, l->path, arguments, environment) < 0)
		l->error = errno;
	syscall(SYS_exit, 127);
	__builtin_unreachable();
}

static int launch_twice(void *argument)
{
	struct launch *l = argument;

	/* SIGCHLD: the collector is to be an ordinary process for whoever adopts it */
	if (clone(launch_become, launch_stack[1] + LAUNCH_STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, l) < 0)
		l->error = errno;
	syscall(SYS_exit, 0);
	__builtin_unreachable();
}

int launch_collector(const char *path, int region_fd)
{
	struct launch l = { .path = path, .region_fd = region_fd };
	sigset_t all, before;
	int saved = errno;
	int pid, failed;

	launch_number(&l);
	sigfillset(&all);
	if (sigprocmask(SIG_BLOCK, &all, &before) != 0)
		return -errno;
	pid = clone(launch_twice, launch_stack[0] + LAUNCH_STACK_BYTES, CLONE_VM | CLONE_VFORK, &l);
	failed = pid < 0 ? errno : 0;
	if (pid > 0)
		while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
			;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return -(failed ? failed : l.error);
}
