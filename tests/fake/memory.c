/* SPDX-License-Identifier: MIT */
/*
 * Device, managed and pinned memory: all of it is host memory, kept in a tree by address.
 */
#include "tests/fake/device.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 512

struct fake_memory fake_memory[FAKE_DEVICES][EVT_CUDA_MEMORY_LIMIT];

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static void *blocks; /* of struct fake_block */

void fake_memory_lock(void)
{
	pthread_mutex_lock(&memory_lock);
}

void fake_memory_unlock(void)
{
	pthread_mutex_unlock(&memory_lock);
}

/* The sought block stands for its first address. */
static int block_compare(const void *sought, const void *other)
{
	const struct fake_block *a = sought, *b = other;

	if (a->address < b->address)
		return -1;
	return a->address >= b->address + (b->size ? b->size : 1);
}

static void memory_count(const struct fake_block *block)
{
	struct fake_memory *memory = &fake_memory[block->device][block->kind];

	memory->allocations++;
	memory->bytes_allocated += block->size;
	memory->live_bytes += block->size;
	if (memory->peak_bytes < memory->live_bytes)
		memory->peak_bytes = memory->live_bytes;
}

static int block_add(unsigned int kind, void *address, size_t size, bool is_ours)
{
	struct fake_block *block = calloc(1, sizeof(*block));

	if (!block)
		return FAKE_OUT_OF_MEMORY;
	block->address = (uintptr_t)address;
	block->size = size;
	block->kind = kind;
	block->device = fake_thread.device;
	block->is_ours = is_ours;
	block->is_counted = !fake_thread.nested;
	fake_memory_lock();
	tsearch(block, &blocks, block_compare);
	if (block->is_counted)
		memory_count(block);
	fake_memory_unlock();
	fake_device_memory(block, false);
	return 0;
}

int fake_allocate(unsigned int kind, size_t size, void **ret_address)
{
	size_t rounded = (size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
	int result;

	if (!ret_address)
		return FAKE_INVALID_VALUE;
	*ret_address = rounded < size ? NULL : aligned_alloc(ALIGNMENT, rounded);
	if (!*ret_address)
		return FAKE_OUT_OF_MEMORY;
	result = block_add(kind, *ret_address, size, true);
	if (result) {
		free(*ret_address);
		*ret_address = NULL;
	}
	return result;
}

int fake_adopt(void *address, size_t size)
{
	return address ? block_add(EVT_CUDA_REGISTERED, address, size, false) : FAKE_INVALID_VALUE;
}

static struct fake_block *block_at(const void *address)
{
	struct fake_block sought = { .address = (uintptr_t)address };
	void *node = tfind(&sought, &blocks, block_compare);

	return node ? *(struct fake_block **)node : NULL;
}

int fake_claim(const void *address)
{
	struct fake_block *block;

	if (fake_thread.nested)
		return 0;
	fake_memory_lock();
	block = block_at(address);
	if (block && !block->is_counted) {
		block->is_counted = true;
		memory_count(block);
	}
	fake_memory_unlock();
	return 0;
}

static bool kind_fits(unsigned int asked, unsigned int kind)
{
	if (asked == EVT_CUDA_ANY)
		return kind == EVT_CUDA_DEVICE || kind == EVT_CUDA_POOL || kind == EVT_CUDA_MANAGED;
	return asked == kind;
}

static void block_end(struct fake_block *block)
{
	struct fake_memory *memory = &fake_memory[block->device][block->kind];

	tdelete(block, &blocks, block_compare);
	if (block->is_counted) {
		memory->frees++;
		memory->live_bytes -= block->size;
	}
	fake_device_memory(block, true);
	if (block->is_ours)
		free((void *)block->address);
	free(block);
}

int fake_release(unsigned int kind, const void *address)
{
	struct fake_block *block;
	int result = FAKE_INVALID_VALUE;

	if (!address)
		return 0;
	fake_memory_lock();
	block = block_at(address);
	if (block && block->address == (uintptr_t)address && kind_fits(kind, block->kind)) {
		block_end(block);
		result = 0;
	}
	fake_memory_unlock();
	return result;
}

static struct fake_block *doomed;

static void block_choose(const void *node, VISIT visit, int depth)
{
	struct fake_block *block = *(struct fake_block *const *)node;

	(void)depth;
	if ((visit == leaf || visit == postorder) && block->device == fake_thread.device)
		doomed = block;
}

void fake_release_all(void)
{
	fake_memory_lock();
	do {
		doomed = NULL;
		twalk(blocks, block_choose);
		if (doomed)
			block_end(doomed);
	} while (doomed);
	fake_memory_unlock();
}

static void block_forget(const void *node, VISIT visit, int depth)
{
	(void)depth;
	if (visit == leaf || visit == postorder)
		(*(struct fake_block *const *)node)->is_counted = false;
}

void fake_memory_forget(void)
{
	memset(fake_memory, 0, sizeof(fake_memory));
	twalk(blocks, block_forget);
}

bool fake_block_find(const void *address, struct fake_block *ret_block)
{
	struct fake_block *block;

	fake_memory_lock();
	block = block_at(address);
	if (block)
		*ret_block = *block;
	fake_memory_unlock();
	return block != NULL;
}

bool fake_is_pinned(const void *address)
{
	struct fake_block block;

	return fake_block_find(address, &block) &&
	       (block.kind == EVT_CUDA_PINNED || block.kind == EVT_CUDA_REGISTERED);
}
