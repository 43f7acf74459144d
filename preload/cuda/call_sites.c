/* SPDX-License-Identifier: MIT */
/*
 * Sites are taken from a pool and never used again, so that whoever reads one that has been
 * replaced still reads what was true of it. When the pool is empty, no more are kept.
 */
#include "preload/cuda/call_sites.h"

#include <errno.h>
#include <sys/mman.h>

#define SITES 4096u

_Atomic(struct call_site *) call_sites[CALL_SITE_SLOTS];

static _Atomic(struct call_site *) sites_pool;
static _Atomic uint32_t sites_used;

static struct call_site *sites_of(void)
{
	struct call_site *pool = atomic_load(&sites_pool), *first = NULL;
	int saved = errno;

	if (pool)
		return pool;
	pool = mmap(NULL, SITES * sizeof(*pool), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved;
	if (pool == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong(&sites_pool, &first, pool))
		return pool;
	munmap(pool, SITES * sizeof(*pool));
	return first;
}

void call_site_keep(enum cuda_function function, const void *address, uint64_t loaded,
		    const struct cuda_origin *origin)
{
	_Atomic(struct call_site *) *slot = &call_sites[call_site_slot(address)];
	struct call_site *there = atomic_load(slot), *pool, *site;
	uint32_t index;

	/* one that still holds keeps its place, so that two do not use up the pool in turn */
	if (unload_is_under_way(loaded) || !origin->original ||
	    (there && there->loaded == unload_state_now()) || atomic_load(&sites_used) >= SITES ||
	    !(pool = sites_of()) || (index = atomic_fetch_add(&sites_used, 1)) >= SITES)
		return;
	site = &pool[index];
	*site = (struct call_site){ address, loaded, function, *origin };
	(void)atomic_compare_exchange_strong(slot, &there, site);
}
