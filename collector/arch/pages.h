/* SPDX-License-Identifier: MIT */
/*
 * The pages of the running kernel: 4 KiB on x86-64; 4, 16 or 64 KiB on aarch64 (at most
 * ARCH_PAGE_MAX). What the kernel maps, protects or unmaps begins and ends at these. Memory that is
 * only probed or read in units of 4 KiB does not need them: such a unit lies within one page of any
 * size.
 *
 * Async-signal-safe: getauxval() reads the vector that the kernel gave to the process. Unit tests
 * define getauxval() themselves to try other sizes.
 */
#ifndef COLLECTOR_ARCH_PAGES_H
#define COLLECTOR_ARCH_PAGES_H

#include <stdint.h>
#include <sys/auxv.h>

static inline uint64_t arch_page(void)
{
	return getauxval(AT_PAGESZ);
}

static inline uint64_t arch_page_down(uint64_t address)
{
	return address & ~(arch_page() - 1);
}

static inline uint64_t arch_page_up(uint64_t address)
{
	return arch_page_down(address + arch_page() - 1);
}

#endif
