/* SPDX-License-Identifier: MIT */
/* The pool of boot.h: each block has a 16-byte head with its size in front. */
#include "preload/boot.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define BOOT_HEAD_BYTES 16u

_Alignas(4096) char boot_pool[BOOT_POOL_BYTES];
static _Atomic size_t boot_used;

static void *boot_finish(uintptr_t from, size_t alignment, size_t size)
{
	uintptr_t at = (from + BOOT_HEAD_BYTES + alignment - 1) & ~(uintptr_t)(alignment - 1);

	memcpy((void *)(at - BOOT_HEAD_BYTES), &size, sizeof(size));
	return (void *)at;
}

void *boot_alloc(size_t alignment, size_t size)
{
	size_t bytes, from;
	void *pages;

	if (alignment < BOOT_HEAD_BYTES)
		alignment = BOOT_HEAD_BYTES;
	if (size > SIZE_MAX / 2 || alignment > SIZE_MAX / 4) {
		errno = ENOMEM;
		return NULL;
	}
	bytes = (size + alignment + BOOT_HEAD_BYTES + 15) & ~(size_t)15;
	from = atomic_load_explicit(&boot_used, memory_order_relaxed);
	while (bytes <= BOOT_POOL_BYTES && from <= BOOT_POOL_BYTES - bytes)
		if (atomic_compare_exchange_weak(&boot_used, &from, from + bytes))
			return boot_finish((uintptr_t)boot_pool + from, alignment, size);
	/* such a block is outside the pool, so that free() would hand it to the allocator: it is given
	 * out only while no original is known, and nothing that early is freed in practice */
	pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return NULL;
	return boot_finish((uintptr_t)pages, alignment, size);
}

size_t boot_size(const void *ptr)
{
	size_t size;

	memcpy(&size, (const char *)ptr - BOOT_HEAD_BYTES, sizeof(size));
	return size;
}
