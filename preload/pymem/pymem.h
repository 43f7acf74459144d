/* SPDX-License-Identifier: MIT */
/*
 * What CPython's own allocators give and take back, with INTERCEPT_TRACE=+pymem: our functions stand before those of all
 * three domains (PyMem_SetAllocator()) and call them. Blocks are theirs, unchanged, so that one may come from them and
 * go back through us, or the other way. README.md has the rest.
 */
#ifndef PRELOAD_PYMEM_PYMEM_H
#define PRELOAD_PYMEM_PYMEM_H

#include <stdbool.h>

/* For python/listeners.def: before Py_Initialize(), and at the first audit event. The program has one thread. */
bool pymem_begin(void *arguments);

#endif
