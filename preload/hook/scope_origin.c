/* SPDX-License-Identifier: MIT */
/* dlsym() on the calling object searches it and what it is linked with, as ld.so does. */
#include "preload/hook/scope_origin.h"

#include <dlfcn.h>
#include <errno.h>

#include "preload/hook/interposer.h"

static void scope_origin_keep(struct scope_origin *origin, const void *caller, void *function)
{
	for (unsigned int i = 0; i < SCOPE_ORIGINS; i++) {
		const void *none = NULL;

		if (!atomic_compare_exchange_strong(&origin->known[i].caller, &none, caller))
			continue;
		atomic_store_explicit(&origin->known[i].function, function, memory_order_release);
		return;
	}
}

void *scope_origin_search(struct scope_origin *origin, const void *caller)
{
	int saved = errno;
	void *found = interposer_find_for(origin->name, caller);

	if (found) {
		interposer_pin(found);
		scope_origin_keep(origin, caller, found);
	}
	errno = saved;
	return found;
}
