/* SPDX-License-Identifier: MIT */
/*
 * Where the calls at an address of the program go, once that was found out (cuda_library.h). A
 * result holds until a library is unloaded (stacks/unload.h). Only dlclose() of the program's own
 * namespace, called by its name, is seen to do so.
 *
 * Any thread, no lock, no allocation but one mapping. A site whose place is taken is not kept.
 */
#ifndef PRELOAD_CUDA_CALL_SITES_H
#define PRELOAD_CUDA_CALL_SITES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/cuda/cuda_library.h"
#include "preload/stacks/unload.h"

#define CALL_SITE_SLOTS 512u /* a power of two */

/* Never changes after it was stored in a slot. */
struct call_site {
	const void *address; /* that the call returns to */
	uint64_t loaded;     /* unload_state when it was found */
	enum cuda_function function;
	struct cuda_origin origin;
};

extern _Atomic(struct call_site *) call_sites[CALL_SITE_SLOTS] PRELOAD_HIDDEN;

static inline uint32_t call_site_slot(const void *address)
{
	return (uint32_t)((uintptr_t)address >> 10 ^ (uintptr_t)address) % CALL_SITE_SLOTS;
}

/* NULL: not known. */
static inline const struct cuda_origin *call_site_find(enum cuda_function function,
						       const void *address)
{
	const struct call_site *site = atomic_load_explicit(&call_sites[call_site_slot(address)],
							    memory_order_acquire);

	if (__builtin_expect(!site || site->address != address || site->function != function ||
				     site->loaded != unload_state_now(),
			     0))
		return NULL;
	return &site->origin;
}

/* `loaded`: unload_state_now() before the origin was looked up. */
void call_site_keep(enum cuda_function function, const void *address, uint64_t loaded,
		    const struct cuda_origin *origin);

#endif
