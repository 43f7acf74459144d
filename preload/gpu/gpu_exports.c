/* SPDX-License-Identifier: MIT */
/*
 * The functions by which another user of CUPTI comes (hooks.def). What it asked for is done as if we had never been
 * there: no subscriber, no buffers and no kinds of ours are left when the original is called.
 */
#include "preload/gpu/gpu.h"

#include <stddef.h>

#include "preload/gpu/gpu_library.h"
#include "preload/hook/hook.h"

#define EXPORTED(name, parameters, arguments)                          \
	HOOK_EXPORT int name parameters                                \
	{                                                              \
		int(*original) parameters;                             \
                                                                       \
		*(void **)(void *)&original = gpu_library_find(#name); \
		if (!original)                                         \
			return CUPTI_NOT_INITIALISED;                  \
		gpu_leave_to(#name);                                   \
		return original arguments;                             \
	}

EXPORTED(cuptiSubscribe,
	 (cupti_subscriber * ret_subscriber, cupti_callback_function *callback, void *user),
	 (ret_subscriber, callback, user))
EXPORTED(cuptiActivityRegisterCallbacks,
	 (cupti_buffer_requested * requested, cupti_buffer_completed *completed),
	 (requested, completed))
EXPORTED(cuptiFinalize, (void), ())
