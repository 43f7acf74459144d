/* SPDX-License-Identifier: MIT */
/*
 * Two maps by handle: `registered` has the address of the program's string, `known` the name made
 * from it at the first launch. If a handle is registered again, its known name is removed.
 */
#include "preload/cuda/cuda_kernels.h"

#include <stdbool.h>
#include <stddef.h>

#include "preload/record/names.h"
#include "preload/base/object.h"
#include "preload/base/pointer_map.h"

static struct pointer_map registered; /* values are char *, owned by the program */
static struct pointer_map known;      /* values are struct name */

/*
 * If the library of a name has been unloaded, the name cannot be read any more, and nobody can
 * launch its kernel.
 */
static bool name_is_mapped(const char *name)
{
	struct object object;

	return !object_can_be_found() || object_of((uintptr_t)name, &object);
}

static const struct name *kernel_known(const void *handle)
{
	return handle ? pointer_map_find(&known, (uintptr_t)handle) : NULL;
}

/* A handle whose kernel has no name may have belonged to another kernel before. */
static void kernel_keep(const void *handle, const struct string *text)
{
	const struct name *name = name_make(text);

	if (name || kernel_known(handle))
		(void)pointer_map_put(&known, (uintptr_t)handle, name);
}

void cuda_kernels_register(const void *handle, const char *name)
{
	uint64_t key = (uintptr_t)handle;

	if (!handle || !name)
		return;
	if (!name_is_mapped(name)) { /* on the heap, or made by a compiler in the program */
		cuda_kernels_name(handle, name);
		return;
	}
	(void)pointer_map_put(&registered, key, name);
	if (pointer_map_find(&known, key))
		(void)pointer_map_put(&known, key, NULL);
}

void cuda_kernels_name(const void *handle, const char *name)
{
	struct string text = string_of(name);

	kernel_keep(handle, &text);
}

/* The empty string if nothing is known of it. */
static struct string kernel_string(const void *handle)
{
	uint64_t key = (uintptr_t)handle;
	const struct name *name = kernel_known(handle);
	const char *text;

	if (name)
		return name_string(name);
	text = handle ? pointer_map_find(&registered, key) : NULL;
	if (!text || !name_is_mapped(text))
		return (struct string){ .hash = 0 };
	cuda_kernels_name(handle, text);
	return string_of(text);
}

static __attribute__((noinline)) uint64_t kernel_send(const void *handle,
						      struct recorder_lane *lane)
{
	struct string name = kernel_string(handle);

	return string_id(&name, lane);
}

uint64_t cuda_kernels_id(const void *handle, struct recorder_lane *lane)
{
	const struct name *name = kernel_known(handle);

	if (__builtin_expect(name && string_is_sent(name->hash), 1))
		return name->hash;
	return kernel_send(handle, lane);
}

void cuda_kernels_alias(const void *handle, const void *of)
{
	struct string text = kernel_string(of);

	kernel_keep(handle, &text);
}
