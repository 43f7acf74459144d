/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes this process's memory by a system call, so that an invalid address gives an error and
 * not a crash. For objects whose layout is not known. Not for hooks.
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
/* All of it, or false: it is read-only, or the call is refused. */
PRELOAD_HIDDEN bool own_memory_write(uint64_t address, const void *from, size_t bytes);

#endif
