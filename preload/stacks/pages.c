/* SPDX-License-Identifier: MIT */
/*
 * Uses bare system calls, so that neither errno nor an interposed mmap() is touched. For
 * huge pages it maps 2 MiB more, cuts both ends to the alignment and calls madvise().
 */
#include "preload/stacks/pages.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "collector/arch/arch.h"

#define HUGE_PAGE_BYTES ((uintptr_t)2 << 20)

void *pages_map(size_t bytes)
{
	long result = arch_call6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return result < 0 && result > -4096 ? NULL : (void *)result;
}

static void pages_ask(uintptr_t start, size_t bytes, long number, long argument)
{
	(void)arch_call3(number, (long)start, (long)bytes, argument);
}

void *pages_map_huge(size_t bytes)
{
	uintptr_t start = (uintptr_t)pages_map(bytes + HUGE_PAGE_BYTES);
	uintptr_t aligned = (start + HUGE_PAGE_BYTES - 1) & ~(HUGE_PAGE_BYTES - 1);

	if (!start)
		return pages_map(bytes);
	if (aligned > start)
		pages_ask(start, aligned - start, SYS_munmap, 0);
	pages_ask(aligned + bytes, start + HUGE_PAGE_BYTES - aligned, SYS_munmap, 0);
	pages_ask(aligned, bytes, SYS_madvise, MADV_HUGEPAGE);
	return (void *)aligned;
}
