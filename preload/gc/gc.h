/* SPDX-License-Identifier: MIT */
/*
 * Collections of CPython's garbage collector, each with its begin, end and generation, in CPython
 * 3.8 to 3.14. README.md says how they are seen. Only those of the main interpreter; nothing if the
 * interpreter was built in an unknown way.
 */
#ifndef PRELOAD_GC_GC_H
#define PRELOAD_GC_GC_H

#include <stdbool.h>

/* For python/listeners.def, with the GIL: called before the program's first line. */
bool gc_begin(void *arguments);

/* For python/listeners.def, with the GIL: an interpreter's state is about to be cleared. */
bool gc_see_end(void *arguments);

#endif
