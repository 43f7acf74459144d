/* SPDX-License-Identifier: MIT */
/*
 * If /proc/self/status reports a filter, a child made by a bare clone() calls perf_event_open() and
 * exits. If it did not exit by itself, the filter kills.
 */
#include "collector/native/seccomp.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/processes/proc.h"

#define TEXT_BYTES 4096u /* for /proc/self/status, which is shorter */
#define MODE_LINE "\nSeccomp:\t"
#define MODE_FILTER '2'

static bool seccomp_filter_is_set(void)
{
	char text[TEXT_BYTES];
	size_t length = proc_read_file("/proc/self/status", text, sizeof(text) - 1);
	const char *line;

	text[length] = 0;
	line = strstr(text, MODE_LINE);
	return line && line[sizeof(MODE_LINE) - 1] == MODE_FILTER;
}

bool seccomp_kills_perf(void)
{
	int status = -1;
	pid_t pid;

	if (!seccomp_filter_is_set())
		return false;
	/* no exit signal: if SIGCHLD is ignored, the child would be gone before it is waited for */
	pid = (pid_t)syscall(SYS_clone, 0L, NULL, NULL, NULL, 0L);
	if (pid == 0) {
		/* no core dump from a child that is killed on purpose */
		(void)prctl(PR_SET_DUMPABLE, 0);
		(void)syscall(SYS_perf_event_open, NULL, -1L, -1L, -1L, 0L);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		continue;
	return !WIFEXITED(status);
}
