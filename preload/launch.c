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
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAUNCH_STACK_BYTES 16384u

#define LAUNCH_CLOSE_MAX 4096 /* descriptors closed one by one where there is no close_range() */

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

struct launch {
	const char *path;
	char number[12];  /* of region_fd */
	char watched[12]; /* of a pidfd of the program: the collector may come when that is gone */
	int region_fd;
	int pid;
	int answer_fd;      /* of the keeper, see launch_and_stay() */
	volatile int error; /* errno of the step that failed */
};

/* One start at a time: init.c's state sees to that. */
static _Alignas(16) char launch_stack[2][LAUNCH_STACK_BYTES];

static void launch_number(char *text, int number)
{
	char digits[12];
	int count = 0, at = 0;
	unsigned int rest = (unsigned int)number;

	do
		digits[count++] = (char)('0' + rest % 10);
	while ((rest /= 10) != 0);
	while (count)
		text[at++] = digits[--count];
	text[at] = 0;
}

static int launch_become(void *argument)
{
	struct launch *l = argument;
	char *arguments[] = { (char *)"intercept-collector", l->number, NULL, NULL };
	char *environment[] = { NULL };
	int watched;

	/* what ld.so has to say when a library is missing is nothing for the program's terminal, and the
	 * numbers are needed where the program may open few files */
	for (int fd = 0; fd < 3; fd++)
		if (fd != l->region_fd)
			syscall(SYS_close, fd);
	syscall(SYS_setsid);
	watched = (int)syscall(SYS_pidfd_open, l->pid, 0);
	if (watched >= 0 && syscall(SYS_fcntl, watched, F_SETFD, 0) >= 0) {
		launch_number(l->watched, watched);
		arguments[2] = l->watched;
	}
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
	if (clone(launch_become, launch_stack[1] + LAUNCH_STACK_BYTES,
		  CLONE_VM | CLONE_VFORK | SIGCHLD, l) < 0)
		l->error = errno;
	syscall(SYS_exit, 0);
	__builtin_unreachable();
}

/*
 * A program that adopts orphans (process 1 of a container, a subreaper) would find the collector among
 * its children. There a process of ours stays between the two as the collector's parent: a copy of
 * this one without descriptors, which ends with the collector. It has no exit signal, so that the
 * program's wait() does not see it either. It tells through the pipe how the start went.
 */
static int launch_and_stay(void *argument)
{
	struct launch *l = argument;
	int pid, error;

	pid = clone(launch_become, launch_stack[1] + LAUNCH_STACK_BYTES,
		    CLONE_VM | CLONE_VFORK | SIGCHLD, l);
	error = pid < 0 ? errno : l->error;
	(void)!write(l->answer_fd, &error, sizeof(error));
	syscall(SYS_setsid);
	if (syscall(SYS_close_range, 0, ~0u, 0) < 0)
		for (int fd = 0; fd < LAUNCH_CLOSE_MAX; fd++)
			syscall(SYS_close, fd);
	while (pid > 0 && waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

static int launch_under_keeper(struct launch *l)
{
	int pipe_fd[2], error = 0;
	int pid;

	if (pipe2(pipe_fd, O_CLOEXEC) != 0)
		return errno;
	l->answer_fd = pipe_fd[1];
	pid = clone(launch_and_stay, launch_stack[0] + LAUNCH_STACK_BYTES, 0, l);
	if (pid < 0)
		error = errno;
	close(pipe_fd[1]);
	if (pid > 0 && read(pipe_fd[0], &error, sizeof(error)) != (ssize_t)sizeof(error))
		error = ECHILD;
	close(pipe_fd[0]);
	return error;
}

static bool program_adopts_orphans(int pid)
{
	int subreaper = 0;

	return pid == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &subreaper) == 0 && subreaper);
}

static int launch_orphan(struct launch *l)
{
	int pid = clone(launch_twice, launch_stack[0] + LAUNCH_STACK_BYTES, CLONE_VM | CLONE_VFORK,
			l);

	if (pid < 0)
		return errno;
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	return l->error;
}

int launch_collector(const char *path, int region_fd)
{
	struct launch l = { .path = path, .region_fd = region_fd, .pid = (int)syscall(SYS_getpid) };
	sigset_t all, before;
	int saved = errno;
	int failed;

	launch_number(l.number, region_fd);
	sigfillset(&all);
	if (sigprocmask(SIG_BLOCK, &all, &before) != 0)
		return -errno;
	failed = program_adopts_orphans(l.pid) ? launch_under_keeper(&l) : launch_orphan(&l);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return -failed;
}
