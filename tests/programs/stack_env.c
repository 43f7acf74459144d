/* SPDX-License-Identifier: MIT */
/*
 * Starts programs as Go does: with the environment that the kernel put on this program's stack, not
 * with what libc makes of it. Allocates 30 blocks of 7007 bytes first.
 *
 * usage: stack_env wait|leave|twice|both COMMAND [ARGUMENT...]
 * wait: until it ends, with its status. leave: until it has written a line on descriptor 3, then
 * this one ends. twice: one after the other. both: two at once.
 */
/* build: -fno-builtin */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENVIRONMENT_BYTES (1u << 20)

static char text[ENVIRONMENT_BYTES + 1];
static char *environment[ENVIRONMENT_BYTES / 2];

static void environment_read(void)
{
	int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
	size_t length = 0, count = 0;
	ssize_t n;

	while ((n = read(fd, text + length, ENVIRONMENT_BYTES - length)) > 0)
		length += (size_t)n;
	close(fd);
	for (size_t at = 0; at < length; at += strlen(text + at) + 1)
		environment[count++] = text + at;
}

static pid_t start(char **argv, int told)
{
	pid_t pid = vfork(); /* fork() would be a process to be recorded */

	if (pid == 0) {
		dup2(told, 3);
		execve(argv[0], argv, environment);
		_exit(127);
	}
	return pid;
}

static int status_of(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int main(int argc, char **argv)
{
	pid_t pid, other;
	int ends[2];
	char line;

	if (argc < 3 || pipe(ends))
		return 2;
	for (int i = 0; i < 30; i++)
		if (!malloc(7007))
			return 2;
	environment_read();
	pid = start(argv + 2, ends[1]);
	close(ends[1]);
	if (!strcmp(argv[1], "leave"))
		return read(ends[0], &line, 1) == 1 ? 0 : 3;
	if (!strcmp(argv[1], "both")) {
		other = start(argv + 2, ends[0]);
		return status_of(pid) + status_of(other);
	}
	if (!strcmp(argv[1], "twice") && status_of(pid) != 99)
		pid = start(argv + 2, ends[0]);
	return status_of(pid);
}
