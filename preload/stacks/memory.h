/* SPDX-License-Identifier: MIT */
/*
 * Tells whether a page may be read. If nothing else makes it certain, the kernel is asked with
 * rt_sigprocmask(), which reads eight bytes and then refuses its first argument. No signal mask
 * changes. libc's syscall() is avoided so that errno is preserved.
 *
 * Any thread, signal handlers too. Another thread may unmap the page right after the answer.
 */
#ifndef PRELOAD_STACKS_MEMORY_H
#define PRELOAD_STACKS_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#define MEMORY_PAGE 4096u
/* neither SIG_BLOCK nor another valid value: EINVAL, after the set has been read */
#define MEMORY_NO_SUCH_HOW (-1L)

static inline uintptr_t memory_page(uintptr_t address)
{
	return address & ~(uintptr_t)(MEMORY_PAGE - 1);
}

static inline bool memory_page_is_readable(uintptr_t address)
{
	register long set_bytes __asm__("r10") = 8;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)SYS_rt_sigprocmask), "D"(MEMORY_NO_SUCH_HOW),
			   "S"(memory_page(address)), "d"(0L), "r"(set_bytes)
			 : "rcx", "r11", "memory");
	return result != -EFAULT;
}

#endif
