/* SPDX-License-Identifier: MIT */
/* dlsym() on the calling object searches it and what it is linked with, as ld.so does. */
#include "preload/hook/scope_origin.h"

#include <dlfcn.h>
#include <errno.h>

#include "preload/hook/interposer.h"

void *scope_origin_search(struct scope_origin *origin, const void *caller)
{
	int saved = errno;
	void *found = interposer_find_for(origin->name, caller);

	if (found) {
		interposer_pin(found);
		known_origin_keep(origin->known, SCOPE_ORIGINS, caller, found);
	}
	errno = saved;
	return found;
}
