/* SPDX-License-Identifier: MIT */
/*
 * Blocks of CPython's own allocators, with INTERCEPT_TRACE=+pymem. Our functions are put before
 * those of all three domains (PyMem_SetAllocator()) and call them. The blocks are CPython's and
 * unchanged, so a block may be allocated without us and freed through us, or the other way round.
 * README.md has the rest.
 */
#ifndef PRELOAD_PYMEM_PYMEM_H
#define PRELOAD_PYMEM_PYMEM_H

#include <stdbool.h>

/*
 * For python/listeners.def: called before Py_Initialize() and at the first audit event. The program
 * has one thread.
 */
bool pymem_begin(void *arguments);

#endif
