/* SPDX-License-Identifier: MIT */
/* Arrays that grow by mremap(), so that pages move and bytes do not. */
#include "report/base/vast.h"

#include <stdint.h>
#include <sys/mman.h>

#include "report/base/memory.h"

#define STEP_BYTES ((size_t)64 << 10)
#define LARGE_BYTES ((size_t)4 << 20) /* from this size on in huge pages */

static size_t vast_round_up(size_t bytes, size_t step)
{
	return (bytes + step - 1) / step * step;
}

/* Size of the mapping: the capacity is as many elements as fit into it. */
static size_t mapped_bytes(size_t capacity, size_t bytes)
{
	return vast_round_up(capacity * bytes, STEP_BYTES);
}

void *vast_room_grow(void *array, size_t count, size_t *capacity, size_t bytes)
{
	size_t old = mapped_bytes(*capacity, bytes), needed, grown = old ? 2 * old : STEP_BYTES;
	void *moved;

	if (__builtin_mul_overflow(count + 1, bytes, &needed) || needed > SIZE_MAX / 4)
		memory_give_up(count, bytes);
	while (grown < needed)
		grown *= 2;
	moved = array ? mremap(array, old, grown, MREMAP_MAYMOVE)
		      : mmap(NULL, grown, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
	if (moved == MAP_FAILED)
		memory_give_up(grown / bytes, bytes);
	/*
	 * the advice is for all of it: otherwise it would become two mappings, which mremap()
	 * refuses
	 */
	if (grown >= LARGE_BYTES)
		madvise(moved, grown, MADV_HUGEPAGE);
	*capacity = grown / bytes;
	return moved;
}

void vast_release(void *array, size_t capacity, size_t bytes)
{
	if (array)
		munmap(array, mapped_bytes(capacity, bytes));
}
