/* SPDX-License-Identifier: MIT */
/*
 * For programs under qemu-user, preloaded behind libintercept.so: what the emulator refuses.
 *
 * clone() with memory in common, or without SIGCHLD: the child is a copy, as of fork().
 * process_vm_readv() of the process itself: pages are probed, then copied.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/arch/arch.h"

#define PAGE 4096u

int clone(int (*function)(void *), void *stack, int flags, void *argument, ...);

int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	long pid = ARCH_FORK();

	(void)stack;
	(void)flags;
	if (pid == 0)
		_exit(function(argument));
	return (int)pid;
}

/* rt_sigprocmask() with an invalid argument reads eight bytes: see preload/stacks/memory.h. */
static bool page_is_readable(uintptr_t page)
{
	return arch_call4(SYS_rt_sigprocmask, -1, (long)page, 0, 8) != -EFAULT;
}

/* Returns how many bytes were copied, as the system call does. */
static long self_read(const struct iovec *to, long to_count, const struct iovec *from,
		      long from_count)
{
	long done = 0, at = 0;
	size_t into = 0;

	for (long i = 0; i < from_count; i++) {
		for (size_t n = 0; n < from[i].iov_len; n++) {
			uintptr_t source = (uintptr_t)from[i].iov_base + n;

			if ((n == 0 || source % PAGE == 0) &&
			    !page_is_readable(source / PAGE * PAGE)) {
				if (!done)
					errno = EFAULT;
				return done ? done : -1;
			}
			while (at < to_count && into == to[at].iov_len) {
				at++;
				into = 0;
			}
			if (at == to_count)
				return done;
			((char *)to[at].iov_base)[into++] = *(const char *)source;
			done++;
		}
	}
	return done;
}

long syscall(long number, ...)
{
	long a[6], result;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_process_vm_readv && a[0] == arch_call3(SYS_getpid, 0, 0, 0))
		return self_read((const struct iovec *)a[1], a[2], (const struct iovec *)a[3],
				 a[4]);
	result = arch_call6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}
