/* SPDX-License-Identifier: MIT */
/*
 * The child that tries the call gets a copy of our memory and does not share it. A seccomp filter
 * may end it with a core dump, and on kernels before 5.16 a core dump also ends every process that
 * shares the memory.
 */
#include "preload/base/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_BYTES 4096u /* for /proc/self/status, which is shorter */
#define MODE_LINE "\nSeccomp:\t"
#define MODE_FILTER '2'

static bool filter_is_set(void)
{
	char text[STATUS_BYTES];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *line;

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return false;
	text[length] = 0;
	line = strstr(text, MODE_LINE);
	return line && line[sizeof(MODE_LINE) - 1] == MODE_FILTER;
}

/* No exit signal, so the program's SIGCHLD handler is not called. */
static bool child_survives(long number)
{
	long pid = syscall(SYS_clone, 0L, NULL, NULL, NULL, 0L);
	int status = -1;

	if (pid == 0) {
		syscall(number, -1L, -1L, -1L, -1L, -1L, -1L);
		for (;;)
			syscall(SYS_exit_group, 0);
	}
	if (pid < 0)
		return false;
	while (waitpid((pid_t)pid, &status, __WALL) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status);
}

bool seccomp_kills(long number)
{
	sigset_t all, before;
	int saved = errno;
	bool survives = true;

	if (filter_is_set()) {
		sigfillset(&all);
		(void)sigprocmask(SIG_BLOCK, &all, &before);
		survives = child_survives(number);
		(void)sigprocmask(SIG_SETMASK, &before, NULL);
	}
	errno = saved;
	return !survives;
}
