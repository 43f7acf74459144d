/* SPDX-License-Identifier: MIT */
/*
 * dlclose(): another library may come to lie where one that it unloads has been, so the rules of return addresses
 * become stale. They do so before the original, and none is kept until it is done: a thread that loads the other
 * library while this one has not come back from the original finds nothing of before.
 *
 * Any thread. No lock of ours; errno is the original's.
 */
#include <errno.h>

#include "preload/hook/hook.h"
#include "preload/stacks/rules.h"
#include "preload/stacks/stack.h"

HOOK_EXPORT int dlclose(void *handle)
{
	int result;

	if (!hook_ready && !hook_resolve())
		return -1;
	if (!hook_real.dlclose)
		return -1;
	if (!stack_families)
		return hook_real.dlclose(handle);
	rules_unloading_begins();
	result = hook_real.dlclose(handle);
	rules_unloading_ends();
	return result;
}
