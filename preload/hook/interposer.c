/* SPDX-License-Identifier: MIT */
/*
 * Holds a lane as around an original, which keeps the heap's hooks from recording what dlsym()
 * allocates.
 */
#include "preload/hook/interposer.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "preload/record/recorder.h"
#include "preload/settings/settings.h"

void *interposer_find(const char *name)
{
	struct recorder_lane *lane;
	void *next;

	if (!settings.preload || !strpbrk(settings.preload, ": "))
		return NULL;
	lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL);
	next = dlsym(RTLD_NEXT, name);
	(void)dlerror();
	if (lane)
		recorder_leave(lane);
	return next;
}

void interposer_pin(void *function)
{
	struct recorder_lane *lane;
	Dl_info info;

	if (!dladdr(function, &info) || !info.dli_fname)
		return;
	lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL);
	(void)dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	(void)dlerror();
	if (lane)
		recorder_leave(lane);
}
