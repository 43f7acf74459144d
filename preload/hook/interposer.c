/* SPDX-License-Identifier: MIT */
/*
 * Holds a lane as around an original, which keeps the heap's hooks from recording what dlsym()
 * allocates.
 */
#include "preload/hook/interposer.h"

#include <dlfcn.h>
#include <stdbool.h>
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

static bool is_of_this_library(const void *function)
{
	Dl_info ours, its;

	return dladdr((const void *)is_of_this_library, &ours) && dladdr(function, &its) &&
	       ours.dli_fbase == its.dli_fbase;
}

/* The object is known by its path; that of the program itself is the global scope, which has us. */
static void *interposer_find_near(const char *name, const void *caller)
{
	void *handle, *found;
	Dl_info info;

	if (!dladdr(caller, &info) || !info.dli_fname)
		return NULL;
	handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	found = dlsym(handle, name);
	(void)dlclose(handle);
	return found && !is_of_this_library(found) ? found : NULL;
}

void *interposer_find_for(const char *name, const void *caller)
{
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL);
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		found = interposer_find_near(name, caller);
	(void)dlerror();
	if (lane)
		recorder_leave(lane);
	return found;
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
