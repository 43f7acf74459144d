/* SPDX-License-Identifier: MIT */
/*
 * Starts the collector with clone(CLONE_VM | CLONE_VFORK), twice: the first child creates the
 * second one and ends. So the second child, which becomes the collector, belongs to init (or to the
 * nearest subreaper). Both run in our memory on stacks of their own while this thread is suspended,
 * so they may use nothing but system calls.
 *
 * The first child has no exit signal, so that the program's SIGCHLD handler is not called. It is
 * waited for by number with __WALL, so that the program's own children are left alone.
 */
#include "preload/life/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/life/nursery.h"

#define LAUNCH_STACK_BYTES 16384u

/* number of descriptors closed one by one if there is no close_range() */
#define LAUNCH_CLOSE_MAX 4096

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

struct launch {
	const char *path;
	char number[12]; /* text of region_fd */
	/* text of a pidfd of the program; the collector may start when the program is gone */
	char watched[12];
	char listens[12]; /* text of the descriptor of the nursery's socket */
	int region_fd;
	int listen_fd; /* -1: there is none */
	int pid;
	char *stack[2];     /* their upper ends */
	int answer_fd;      /* the keeper's pipe, see launch_and_stay() */
	volatile int error; /* errno of the step that failed */
	volatile int collector;
};

/* The keeper's answer. */
struct launch_answer {
	int error;
	int collector;
};

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
	char *arguments[] = { (char *)"intercept-collector", l->number, l->watched, l->listens,
			      NULL };
	char *environment[] = { NULL };
	int watched;

	/*
	 * ld.so prints a message when a library is missing, which does not belong on the program's
	 * terminal; and the numbers are needed if the program may open only few files
	 */
	for (int fd = 0; fd < 3; fd++)
		if (fd != l->region_fd && fd != l->listen_fd)
			syscall(SYS_close, fd);
	syscall(SYS_setsid);
	watched = (int)syscall(SYS_pidfd_open, l->pid, 0);
	if (watched >= 0 && syscall(SYS_fcntl, watched, F_SETFD, 0) >= 0)
		launch_number(l->watched, watched);
	if (l->listen_fd >= 0 && syscall(SYS_fcntl, l->listen_fd, F_SETFD, 0) >= 0)
		launch_number(l->listens, l->listen_fd);
	if (syscall(SYS_fcntl, l->region_fd, F_SETFD, 0) < 0 ||
	    syscall(SYS_execve, l->path, arguments, environment) < 0)
		l->error = errno;
	syscall(SYS_exit, 127);
	__builtin_unreachable();
}

static int launch_twice(void *argument)
{
	struct launch *l = argument;

	/* SIGCHLD: whoever adopts the collector shall see an ordinary process */
	l->collector = clone(launch_become, l->stack[1], CLONE_VM | CLONE_VFORK | SIGCHLD, l);
	if (l->collector < 0)
		l->error = errno;
	syscall(SYS_exit, 0);
	__builtin_unreachable();
}

/*
 * A program that adopts orphans (process 1 of a container, a subreaper) would find the collector
 * among its children. In that case a process of ours stays between the two as the collector's
 * parent: a copy of this process without descriptors, called the keeper. It ends with the
 * collector. It has no exit signal, so that the program's wait() does not see it either. It also
 * adopts orphans below it, so that this still holds if the nursery is killed. It reports through
 * the pipe how the start went.
 */
static int launch_and_stay(void *argument)
{
	struct launch *l = argument;
	struct launch_answer answer;
	int pid;

	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = clone(launch_become, l->stack[1], CLONE_VM | CLONE_VFORK | SIGCHLD, l);
	answer = (struct launch_answer){ pid < 0 ? errno : l->error, pid };
	(void)!write(l->answer_fd, &answer, sizeof(answer));
	syscall(SYS_setsid);
	if (syscall(SYS_close_range, 0, ~0u, 0) < 0)
		for (int fd = 0; fd < LAUNCH_CLOSE_MAX; fd++)
			syscall(SYS_close, fd);
	while (waitpid(-1, NULL, __WALL) >= 0 || errno == EINTR)
		;
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

static int launch_under_keeper(struct launch *l)
{
	struct launch_answer answer = { 0 };
	int pipe_fd[2];
	int pid;

	if (pipe2(pipe_fd, O_CLOEXEC) != 0)
		return errno;
	l->answer_fd = pipe_fd[1];
	pid = clone(launch_and_stay, l->stack[0], 0, l);
	if (pid < 0)
		answer.error = errno;
	close(pipe_fd[1]);
	if (pid > 0 && read(pipe_fd[0], &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
		answer.error = ECHILD;
	close(pipe_fd[0]);
	l->collector = answer.collector;
	return answer.error;
}

static bool program_adopts_orphans(int pid)
{
	int subreaper = 0;

	return pid == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &subreaper) == 0 && subreaper);
}

static int launch_orphan(struct launch *l)
{
	int pid = clone(launch_twice, l->stack[0], CLONE_VM | CLONE_VFORK, l);

	if (pid < 0)
		return errno;
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	return l->error;
}

int launch_collector(const char *path, int region_fd, struct region_header *header)
{
	struct launch l = { .path = path,
			    .watched = "-",
			    .listens = "-",
			    .region_fd = region_fd,
			    .listen_fd = -1,
			    .pid = (int)syscall(SYS_getpid) };
	char *stacks = mmap(NULL, 2 * LAUNCH_STACK_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigset_t all, before;
	int saved = errno;
	int failed = 0;

	if (stacks == MAP_FAILED)
		return -errno;
	l.stack[0] = stacks + LAUNCH_STACK_BYTES;
	l.stack[1] = stacks + 2 * LAUNCH_STACK_BYTES;
	launch_number(l.number, region_fd);
	sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	if (!nursery_ask(path, region_fd, header, &l.listen_fd))
		failed = program_adopts_orphans(l.pid) ? launch_under_keeper(&l)
						       : launch_orphan(&l);
	if (!failed && l.collector > 0 && !atomic_load(&header->collector_pid))
		atomic_store(&header->collector_pid, (uint32_t)l.collector);
	if (l.listen_fd >= 0)
		close(l.listen_fd);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	munmap(stacks, 2 * LAUNCH_STACK_BYTES);
	errno = saved;
	return -failed;
}
