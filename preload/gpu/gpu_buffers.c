/* SPDX-License-Identifier: MIT */
/*
 * Free buffers are in an array of atomic pointers, and are taken and put back by exchange. When all
 * GPU_BUFFERS are in use, a small one is mapped, which is unmapped when it comes back.
 */
#include "preload/gpu/gpu_buffers.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

static _Atomic(uint8_t *) kept[GPU_BUFFERS]; /* free buffers; NULL: none, or in use */
static _Atomic unsigned int mapped;          /* number of buffers mapped for the array */

static uint8_t *buffer_map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void gpu_buffers_prepare(void)
{
	for (unsigned int i = 0; i < GPU_BUFFERS_AHEAD; i++) {
		uint8_t *buffer = buffer_map(GPU_BUFFER_BYTES);

		if (!buffer)
			return;
		atomic_fetch_add(&mapped, 1);
		gpu_buffer_give(buffer, GPU_BUFFER_BYTES);
	}
}

uint8_t *gpu_buffer_take(size_t *ret_bytes)
{
	unsigned int count = atomic_load(&mapped);
	int saved = errno;
	uint8_t *buffer = NULL;

	for (unsigned int i = 0; i < GPU_BUFFERS && !buffer; i++)
		buffer = atomic_exchange(&kept[i], NULL);
	*ret_bytes = GPU_BUFFER_BYTES;
	while (!buffer && count < GPU_BUFFERS)
		if (atomic_compare_exchange_weak(&mapped, &count, count + 1)) {
			buffer = buffer_map(GPU_BUFFER_BYTES);
			if (!buffer)
				atomic_fetch_sub(&mapped, 1);
			break;
		}
	if (!buffer) {
		*ret_bytes = GPU_BUFFER_SMALL_BYTES;
		buffer = buffer_map(GPU_BUFFER_SMALL_BYTES);
	}
	if (!buffer)
		*ret_bytes = 0;
	errno = saved;
	return buffer;
}

void gpu_buffer_give(uint8_t *buffer, size_t bytes)
{
	int saved = errno;

	if (bytes == GPU_BUFFER_BYTES)
		for (unsigned int i = 0; i < GPU_BUFFERS; i++) {
			uint8_t *none = NULL;

			if (atomic_compare_exchange_strong(&kept[i], &none, buffer))
				return;
		}
	if (buffer)
		munmap(buffer, bytes);
	errno = saved;
}
