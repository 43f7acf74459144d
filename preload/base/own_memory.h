/* SPDX-License-Identifier: MIT */
/*
 * Reads this process' memory by a system call: an address that is none gives an error and no crash. For looks at objects
 * whose layout is not known. Not for hooks.
 */
#ifndef PRELOAD_BASE_OWN_MEMORY_H
#define PRELOAD_BASE_OWN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/hidden.h"

/* False where the kernel, or a filter of system calls, refuses. */
PRELOAD_HIDDEN bool own_memory_is_readable(void);
/* All of it, or false. */
PRELOAD_HIDDEN bool own_memory_read(uint64_t address, void *to, size_t bytes);

#endif
