/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes this process's memory by a system call, so that an invalid address gives an
 * error instead of a crash. Used for objects whose layout is not known. Not for hooks.
 */
#ifndef PRELOAD_BASE_OWN_MEMORY_H
#define PRELOAD_BASE_OWN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/hidden.h"

/* Returns false if the kernel or a seccomp filter refuses the system call. */
PRELOAD_HIDDEN bool own_memory_is_readable(void);
/* Reads all `bytes`, or returns false. */
PRELOAD_HIDDEN bool own_memory_read(uint64_t address, void *to, size_t bytes);
/* Writes all `bytes`, or returns false: the memory is read-only, or the call is refused. */
PRELOAD_HIDDEN bool own_memory_write(uint64_t address, const void *from, size_t bytes);

#endif
