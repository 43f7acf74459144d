/* SPDX-License-Identifier: MIT */
/*
 * The functions that the library exports for NVTX, declared from hooks.def, and the originals in
 * libnvToolsExt.so.1: NULL if that library is not loaded.
 */
#ifndef PRELOAD_NVTX_NVTX_EXPORTS_H
#define PRELOAD_NVTX_NVTX_EXPORTS_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "preload/base/hidden.h"
#include "preload/nvtx/nvtx_api.h"

struct nvtx_originals {
#define HOOK(library, returns, name, parameters, arguments) returns(*name) parameters;
#define ENTRY(returns, name, parameters)
#include "preload/nvtx/hooks.def"
#undef HOOK
#undef ENTRY
};

/* Complete once nvtx_v2_enter() has been called. */
PRELOAD_HIDDEN extern struct nvtx_originals nvtx_real;

#define HOOK(library, returns, name, parameters, arguments) returns name parameters;
#define ENTRY(returns, name, parameters) returns name parameters;
#include "preload/nvtx/hooks.def"
#undef HOOK
#undef ENTRY

#endif
