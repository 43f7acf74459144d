/* SPDX-License-Identifier: MIT */
/*
 * dlclose(): another library may be loaded where an unloaded one has been, so the rules of return
 * addresses become stale. They become stale before the original is called, and no rule is kept
 * until it returns. So if a thread loads another library while this thread is still in the
 * original, it finds no old rule.
 *
 * Others that keep facts about code (unload.h) are called afterwards, and only if something was
 * unloaded: programs often close libraries that stay loaded. The collector is informed too, because
 * it could mistake a library that is loaded later for the unloaded one.
 *
 * Any thread. No lock of ours; errno is the original's.
 */
#include "preload/stacks/unload.h"

#include <errno.h>
#include <link.h>
#include <stddef.h>

#include "preload/hook/hook.h"
#include "preload/record/recorder.h"
#include "preload/stacks/objects.h"
#include "preload/stacks/rules.h"
#include "preload/stacks/stack.h"

void (*unload_forget)(void);
_Atomic uint64_t unload_state;

static int take_unloads(struct dl_phdr_info *module, size_t bytes, void *context)
{
	if (bytes >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(module->dlpi_subs))
		*(unsigned long long *)context = module->dlpi_subs;
	return 1; /* the first object has the counters */
}

/* Returns the number of objects unloaded so far. */
static unsigned long long unloads(void)
{
	unsigned long long count = 0;

	(void)dl_iterate_phdr(take_unloads, &count);
	return count;
}

/* `*ret_unloaded` is true if it did, or if that was not looked at. */
static int close_watched(void *handle, bool *ret_unloaded)
{
	void (*forget)(void) = __atomic_load_n(&unload_forget, __ATOMIC_ACQUIRE);
	int result, saved = errno;
	unsigned long long before;

	*ret_unloaded = true;
	if (!forget && !recorder_gates->generation)
		return hook_real.dlclose(handle);
	objects_note();
	before = unloads();
	errno = saved;
	result = hook_real.dlclose(handle);
	saved = errno;
	*ret_unloaded = unloads() != before;
	if (*ret_unloaded) {
		if (forget)
			forget();
		objects_record_gone();
	}
	errno = saved;
	return result;
}

/* Facts about code become stale before the original is called, as rules do. */
static int close_counted(void *handle)
{
	bool has_unloaded;
	int result;

	atomic_fetch_add(&unload_state, UNLOAD_UNDER_WAY);
	result = close_watched(handle, &has_unloaded);
	atomic_fetch_add(&unload_state, (has_unloaded ? UNLOAD_DONE : 0) - UNLOAD_UNDER_WAY);
	return result;
}

HOOK_EXPORT int dlclose(void *handle)
{
	int result;

	if (!hook_ready && !hook_resolve())
		return -1;
	if (!hook_real.dlclose)
		return -1;
	if (!stack_families)
		return close_counted(handle);
	rules_unloading_begins();
	result = close_counted(handle);
	rules_unloading_ends();
	return result;
}
