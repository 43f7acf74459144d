/* SPDX-License-Identifier: MIT */
/* A table, because the C library has these names only since glibc 2.32. */
#include "report/base/signal_name.h"

#include <signal.h>
#include <stddef.h>

#define STATUS_OF_SIGNAL 128

const char *signal_name_of_status(int64_t exit_status)
{
	static const char *const names[] = {
		[SIGHUP] = "SIGHUP",   [SIGINT] = "SIGINT",   [SIGQUIT] = "SIGQUIT",
		[SIGILL] = "SIGILL",   [SIGTRAP] = "SIGTRAP", [SIGABRT] = "SIGABRT",
		[SIGBUS] = "SIGBUS",   [SIGFPE] = "SIGFPE",   [SIGKILL] = "SIGKILL",
		[SIGUSR1] = "SIGUSR1", [SIGSEGV] = "SIGSEGV", [SIGUSR2] = "SIGUSR2",
		[SIGPIPE] = "SIGPIPE", [SIGALRM] = "SIGALRM", [SIGTERM] = "SIGTERM",
		[SIGXCPU] = "SIGXCPU", [SIGXFSZ] = "SIGXFSZ", [SIGSYS] = "SIGSYS",
	};
	int64_t number = exit_status - STATUS_OF_SIGNAL;

	return number > 0 && number < (int64_t)(sizeof(names) / sizeof(names[0])) ? names[number]
										  : NULL;
}
