/* SPDX-License-Identifier: MIT */
/*
 * For programs under qemu-user, preloaded behind libintercept.so: a clone() without the flags that
 * the emulator refuses (a child with memory in common, or without SIGCHLD). The child is a copy, as
 * of fork().
 */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int clone(int (*function)(void *), void *stack, int flags, void *argument, ...);

int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	long pid = syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);

	(void)stack;
	(void)flags;
	if (pid == 0)
		_exit(function(argument));
	return (int)pid;
}
