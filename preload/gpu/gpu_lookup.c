/* SPDX-License-Identifier: MIT */
/*
 * dlsym(): a profiler that opens a libcupti of its own comes this way, for example Triton's Proton.
 * Two libcuptis in a process break each other. So for every function of CUPTI, it gets ours if we
 * share it (hooks.def), and else that of the libcupti that is already in use. For any other name we
 * jump to the original, which sees its caller as RTLD_NEXT requires. That adds nine instructions to
 * about nine hundred.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "collector/arch/arch.h"
#include "collector/arch/jumps.h"
#include "preload/base/hidden.h"
#include "preload/gpu/gpu.h"
#include "preload/gpu/gpu_second.h"
#include "preload/gpu/gpu_share.h"
#include "preload/hook/origin.h"
#include "preload/settings/settings.h"

void *dlsym(void *restrict handle, const char *restrict name);

/* Called from the assembly below. */
PRELOAD_HIDDEN void *gpu_lookup_answer(void *handle, const char *name);
PRELOAD_HIDDEN void *gpu_lookup_original(void);

PRELOAD_HIDDEN void *gpu_lookup_next; /* the original; NULL: not looked up yet */

ARCH_JUMP_DLSYM(gpu_lookup_answer, gpu_lookup_next, gpu_lookup_original);

/* Used if there is no original: nothing is found. */
static void *nothing(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

/*
 * ld.so relocates us after the libraries, and meanwhile calls the resolvers of their indirect
 * functions. We cannot reach libc yet, so such a resolver finds nothing. This pointer, which ld.so
 * fills in, shows whether we are relocated.
 */
static void *const volatile own_place = (void *)nothing;

static bool is_relocated(void)
{
	void *here;

	ARCH_ADDRESS_OF(here, nothing);
	return own_place == here;
}

void *gpu_lookup_original(void)
{
	void *next = is_relocated() ? origin_next("dlsym") : NULL;

	if (!next)
		return (void *)nothing;
	__atomic_store_n(&gpu_lookup_next, next, __ATOMIC_RELEASE);
	return next;
}

static void *original_ask(void *handle, const char *name)
{
	void *next = __atomic_load_n(&gpu_lookup_next, __ATOMIC_ACQUIRE);
	void *(*ask)(void *, const char *);

	if (!next)
		next = gpu_lookup_original();
	*(void **)(void *)&ask = next;
	return ask(handle, name);
}

static void *own_function(const char *name)
{
#define ENTRY(returns, name_, parameters) \
	if (strcmp(name, #name_) == 0)    \
		return (void *)name_;
#include "preload/gpu/hooks.def"
#undef ENTRY
	return NULL;
}

/* Returns the last part of the library's name, for an address in it. NULL: it is no libcupti. */
static const char *cupti_of(const void *address, Dl_info *info)
{
	const char *name;

	if (!dladdr(address, info) || !info->dli_fname)
		return NULL;
	name = strrchr(info->dli_fname, '/');
	name = name ? name + 1 : info->dli_fname;
	return strncmp(name, "libcupti.so", 11) == 0 ? info->dli_fname : NULL;
}

void *gpu_lookup_answer(void *handle, const char *name)
{
	Dl_info theirs, used;
	void *found, *instead;
	const char *path;
	int saved = errno;

	if (strncmp(name, "cupti", 5) != 0 || handle == RTLD_DEFAULT || handle == RTLD_NEXT ||
	    !(settings.trace & 1u << SETTINGS_FAMILY_gpu))
		return NULL;
	found = original_ask(handle, name);
	path = found ? cupti_of(found, &theirs) : NULL;
	if (!path || !gpu_share_is_used()) {
		errno = saved;
		return NULL;
	}
	instead = gpu_library_find(name);
	if (instead && cupti_of(instead, &used) && used.dli_fbase != theirs.dli_fbase)
		gpu_copy_found(path);
	if (gpu_second_instead(name))
		instead = gpu_second_instead(name);
	if (own_function(name))
		instead = own_function(name);
	errno = saved;
	return instead;
}
