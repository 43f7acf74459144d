/* SPDX-License-Identifier: MIT */
/*
 * Collections of CPython's garbage collector, each with its begin, end and generation, in CPython 3.8 to 3.14. README.md says how they
 * are seen. Of the main interpreter; nothing where the interpreter is built in another way than is known.
 */
#ifndef PRELOAD_GC_GC_H
#define PRELOAD_GC_GC_H

#include <stdbool.h>

/* For python/listeners.def, with the GIL: before the program's first line. */
bool gc_begin(void *arguments);

/* Likewise: an interpreter's state is about to be cleared. */
bool gc_see_end(void *arguments);

#endif
