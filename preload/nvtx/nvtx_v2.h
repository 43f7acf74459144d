/* SPDX-License-Identifier: MIT */
/*
 * What the two files of interposed version 2 functions share: the first call of a process, and the
 * guard around an original. Inline, because they are on the hot path.
 */
#ifndef PRELOAD_NVTX_NVTX_V2_H
#define PRELOAD_NVTX_NVTX_V2_H

#include <stdbool.h>

#include "preload/nvtx/nvtx.h"
#include "preload/nvtx/nvtx_exports.h"

extern bool nvtx_v2_touched PRELOAD_HIDDEN;

void nvtx_v2_touch(void);

/* Call first in every function: nvtx_real is complete afterwards. */
static inline void nvtx_v2_enter(void)
{
	if (__builtin_expect(!__atomic_load_n(&nvtx_v2_touched, __ATOMIC_ACQUIRE), 0))
		nvtx_v2_touch();
}

/* Runs a statement that calls the original of that name, if there is one. */
#define CALL_ORIGINAL(name, statement)      \
	do {                                \
		if (nvtx_real.name) {       \
			nvtx_self.inside++; \
			statement;          \
			nvtx_self.inside--; \
		}                           \
	} while (0)

#endif
