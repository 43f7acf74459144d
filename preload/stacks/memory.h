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

#include "collector/arch/arch.h"

#define MEMORY_PAGE 4096u
/* neither SIG_BLOCK nor another valid value: EINVAL, after the set has been read */
#define MEMORY_NO_SUCH_HOW (-1L)

static inline uintptr_t memory_page(uintptr_t address)
{
	return address & ~(uintptr_t)(MEMORY_PAGE - 1);
}

static inline bool memory_page_is_readable(uintptr_t address)
{
	return arch_call4(SYS_rt_sigprocmask, MEMORY_NO_SUCH_HOW, (long)memory_page(address), 0,
			  8) != -EFAULT;
}

#endif
