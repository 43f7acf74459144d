/* SPDX-License-Identifier: MIT */
/*
 * dlclose(): another library may come to lie where one that it unloads has been, so the rules of return addresses
 * become stale. They do so before the original, and none is kept until it is done: a thread that loads the other
 * library while this one has not come back from the original finds nothing of before.
 *
 * Who else keeps what is known of code (unload.h) is told afterwards, and only when something was unloaded: programs
 * close again and again what stays loaded. So is the collector, which else would take the other library for this one.
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

static int take_unloads(struct dl_phdr_info *module, size_t bytes, void *context)
{
	if (bytes >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(module->dlpi_subs))
		*(unsigned long long *)context = module->dlpi_subs;
	return 1; /* the first has it */
}

/* How many objects have been unloaded so far. */
static unsigned long long unloads(void)
{
	unsigned long long count = 0;

	(void)dl_iterate_phdr(take_unloads, &count);
	return count;
}

static int close_watched(void *handle)
{
	void (*forget)(void) = __atomic_load_n(&unload_forget, __ATOMIC_ACQUIRE);
	int result, saved = errno;
	unsigned long long before;

	if (!forget && !recorder_gates->generation)
		return hook_real.dlclose(handle);
	objects_note();
	before = unloads();
	errno = saved;
	result = hook_real.dlclose(handle);
	saved = errno;
	if (unloads() != before) {
		if (forget)
			forget();
		objects_record_gone();
	}
	errno = saved;
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
		return close_watched(handle);
	rules_unloading_begins();
	result = close_watched(handle);
	rules_unloading_ends();
	return result;
}
