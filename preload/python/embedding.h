/* SPDX-License-Identifier: MIT */
/*
 * Programs that embed CPython, frozen ones: none of CPython's main functions says by an event cpython.run_* that the program
 * begins. What is compiled, executed or imported once the interpreter is there does, unless CPython does it itself: it imports `site`, and
 * looks at what it has been told to run.
 */
#ifndef PRELOAD_PYTHON_EMBEDDING_H
#define PRELOAD_PYTHON_EMBEDDING_H

#include <stdbool.h>

#include "preload/base/hidden.h"

/* For the audit hook, with the GIL, until the program has begun: whether it does so with this event. Leaves no exception. */
PRELOAD_HIDDEN bool embedding_begins(const char *event, void *arguments);

#endif
