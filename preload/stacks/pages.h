/* SPDX-License-Identifier: MIT */
/*
 * Memory of our own, in whole zeroed pages, by system calls that are not recorded. errno is
 * preserved.
 */
#ifndef PRELOAD_STACKS_PAGES_H
#define PRELOAD_STACKS_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* NULL: no memory. */
void *pages_map(size_t bytes);

/*
 * As pages_map(), in huge pages if the kernel has them: a table with random accesses then needs few
 * TLB entries.
 */
void *pages_map_huge(size_t bytes);

#endif
