/* SPDX-License-Identifier: MIT */
/*
 * Originals of the interposed functions. hook_real.<name> is the next definition after ours, whichever
 * library has it; NULL for one that nobody defines (cfree, free_sized on older glibc).
 *
 * hook_resolve() may be called by any thread at any time, before our constructor too; the first call
 * looks everything up. dlsym() may allocate meanwhile: those calls get memory from boot.h's pool.
 */
#ifndef PRELOAD_HOOK_H
#define PRELOAD_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "preload/cuda_api.h"
#include "preload/hidden.h"
#include "preload/nvtx_api.h"
#include "preload/torch_api.h"

struct hook_originals {
#define HOOK(library, returns, name, parameters, arguments) returns(*name) parameters;
#include "preload/hooks.def"
};

PRELOAD_HIDDEN extern struct hook_originals hook_real;
PRELOAD_HIDDEN extern bool hook_ready; /* all of hook_real is valid */

/* True when hook_real may be used; false while another call of this very thread, or another thread,
 * is looking the names up. */
bool hook_resolve(void);

/* Looks once more for originals of one library that came in after start (nvToolsExt by dlopen). */
void hook_resolve_late(void);

/* Declared once more from the list: the compiler compares it with libc's own headers. */
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>
#define HOOK(library, returns, name, parameters, arguments) returns name parameters;
#define ENTRY(returns, name, parameters) returns name parameters;
#define HOOK_RETURNS_cudart cudaError_t
#define HOOK_RETURNS_cuda CUresult
#define CUDA(library, since, per_thread, name, parameters, arguments, record) \
	HOOK_RETURNS_##library name parameters;
#define CUDA_OWN(library, returns, name, parameters, arguments) returns name parameters;
#define TORCH(name, parameters, arguments, record) void name parameters;
#include "preload/hooks.def"

#define HOOK_EXPORT __attribute__((visibility("default")))

#endif
