/* SPDX-License-Identifier: MIT */
/*
 * Programs that embed CPython, such as frozen ones, call none of CPython's main functions, so no
 * event cpython.run_* shows that the program begins. The program has begun when it compiles,
 * executes or imports something, unless CPython itself does it: it imports `site` and examines what
 * it has been told to run.
 */
#ifndef PRELOAD_PYTHON_EMBEDDING_H
#define PRELOAD_PYTHON_EMBEDDING_H

#include <stdbool.h>

#include "preload/base/hidden.h"

/*
 * For the audit hook, with the GIL, until the program has begun. Returns true if it begins with
 * this event. Leaves no exception.
 */
PRELOAD_HIDDEN bool embedding_begins(const char *event, void *arguments);

#endif
