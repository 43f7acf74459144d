/* SPDX-License-Identifier: MIT */
/*
 * Looks up the originals. RTLD_NEXT and not __libc_malloc: an allocator that the program preloads or
 * links behind us stays the program's allocator.
 */
#include "preload/hook.h"

#include <dlfcn.h>
#include <stdatomic.h>

struct hook_originals hook_real;
bool hook_ready;

enum { HOOK_UNRESOLVED, HOOK_RESOLVING, HOOK_RESOLVED };
static _Atomic int hook_state;

bool hook_resolve(void)
{
	int state = HOOK_UNRESOLVED;

	if (hook_ready)
		return true;
	if (!atomic_compare_exchange_strong(&hook_state, &state, HOOK_RESOLVING))
		return state == HOOK_RESOLVED;
#define HOOK(library, returns, name, parameters, arguments) \
	*(void **)(void *)&hook_real.name = dlsym(RTLD_NEXT, #name);
#include "preload/hooks.def"
	(void)dlerror(); /* names that nobody defines leave a text behind, which libc would free much later */
	atomic_store(&hook_state, HOOK_RESOLVED);
	__atomic_store_n(&hook_ready, true, __ATOMIC_RELEASE);
	return true;
}

/*
 * A library opened with RTLD_LOCAL is not on RTLD_NEXT's way; RTLD_NOLOAD finds it without loading
 * anything. Only the nvToolsExt names can come in so.
 */
void hook_resolve_late(void)
{
	void *library = dlopen("libnvToolsExt.so.1", RTLD_NOW | RTLD_NOLOAD);

	if (!library)
		return;
#define HOOK_LATE_libc(name)
#define HOOK_LATE_nvtoolsext(name)                                 \
	do {                                                       \
		void *found = dlsym(library, #name);               \
		if (found && !hook_real.name)                      \
			*(void **)(void *)&hook_real.name = found; \
	} while (0);
#define HOOK(library_name, returns, name, parameters, arguments) HOOK_LATE_##library_name(name)
#include "preload/hooks.def"
	dlclose(library);
}
