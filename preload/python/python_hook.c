/* SPDX-License-Identifier: MIT */
/*
 * While the hook is added, a raw allocator of ours notes the block that CPython allocates for it.
 * When CPython frees its hooks, another allocator of ours returns that block to the allocator that
 * it came from.
 */
#include "preload/python/python_hook.h"

#include <stddef.h>
#include <string.h>

#include "preload/python/python_api.h"

static void *entry;                  /* the block in which CPython keeps the hook */
static struct python_allocator then; /* the allocator that the block came from */
static struct python_allocator now;  /* the allocator that ours is put before */

/* --- while the hook is added --- */

static void *entry_malloc(void *context, size_t bytes)
{
	(void)context;
	entry = then.malloc(then.context, bytes);
	return entry;
}

void python_hook_add(int (*hook)(const char *event, void *arguments, void *data))
{
	struct python_allocator ours;

	python_api.PyMem_GetAllocator(PYTHON_MEMORY_RAW, &then);
	ours = then;
	ours.malloc = entry_malloc;
	python_api.PyMem_SetAllocator(PYTHON_MEMORY_RAW, &ours);
	(void)python_api.PySys_AddAuditHook(hook, NULL);
	python_api.PyMem_SetAllocator(PYTHON_MEMORY_RAW, &then);
}

/* --- while CPython frees its hooks --- */

static void *now_malloc(void *context, size_t bytes)
{
	(void)context;
	return now.malloc(now.context, bytes);
}

static void *now_calloc(void *context, size_t count, size_t bytes)
{
	(void)context;
	return now.calloc(now.context, count, bytes);
}

static void *now_realloc(void *context, void *block, size_t bytes)
{
	(void)context;
	return now.realloc(now.context, block, bytes);
}

static void now_free(void *context, void *block)
{
	(void)context;
	if (block != entry || !block) {
		now.free(now.context, block);
		return;
	}
	entry = NULL;
	python_api.PyMem_SetAllocator(PYTHON_MEMORY_RAW, &now);
	then.free(then.context, block);
}

void python_hook_see(const char *event)
{
	static struct python_allocator ours = { NULL, now_malloc, now_calloc, now_realloc,
						now_free };

	if (!entry || strcmp(event, "cpython._PySys_ClearAuditHooks") != 0)
		return;
	python_api.PyMem_GetAllocator(PYTHON_MEMORY_RAW, &now);
	if (now.free != now_free)
		python_api.PyMem_SetAllocator(PYTHON_MEMORY_RAW, &ours);
}
