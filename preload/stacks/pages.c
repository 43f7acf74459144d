/* SPDX-License-Identifier: MIT */
/* See pages.h. */
#include "preload/stacks/pages.h"

#include <sys/mman.h>
#include <sys/syscall.h>

void *pages_map(size_t bytes)
{
	register long flags __asm__("r10") = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	register long fd __asm__("r8") = -1;
	register long offset __asm__("r9") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)SYS_mmap), "D"(0L), "S"(bytes),
			   "d"((long)(PROT_READ | PROT_WRITE)), "r"(flags), "r"(fd), "r"(offset)
			 : "rcx", "r11", "memory");
	return result < 0 && result > -4096 ? NULL : (void *)result;
}
