/* SPDX-License-Identifier: MIT */
/*
 * Memory for the time before the originals are known: dlsym() and other libraries' constructors may
 * allocate while we look malloc up. A static pool with atomic bump, 16-byte aligned, zeroed; when it
 * is used up, whole pages from the kernel. Blocks of the pool are never given back and never
 * recorded; boot_owns() recognises those of the static part, so that free() can leave them alone.
 * Any thread, any time; no lock.
 */
#ifndef PRELOAD_BOOT_H
#define PRELOAD_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "preload/hidden.h"

#define BOOT_POOL_BYTES (256u << 10)

PRELOAD_HIDDEN extern char boot_pool[BOOT_POOL_BYTES];

static inline bool boot_owns(const void *ptr)
{
	return (uintptr_t)ptr - (uintptr_t)boot_pool < BOOT_POOL_BYTES;
}

/* NULL with ENOMEM when even the kernel has none. `alignment` is a power of two. */
void *boot_alloc(size_t alignment, size_t size);
/* Size of a block of the pool, as asked for. */
size_t boot_size(const void *ptr);

#endif
