/* SPDX-License-Identifier: MIT */
/*
 * Finds where CPython keeps the current context, which distinguishes tasks (preload/record/task.h).
 * No header states the offset, so a context is entered and then looked for in the thread's state.
 * The program's state is unchanged afterwards.
 */
#ifndef PRELOAD_PYTHON_TASKS_H
#define PRELOAD_PYTHON_TASKS_H

#include <stdbool.h>

#include "preload/base/hidden.h"

/* True if anything is recorded that nests by task. */
PRELOAD_HIDDEN bool tasks_are_wanted(void);

/* Call once, before the program's first line, with the GIL. */
PRELOAD_HIDDEN void tasks_find(void);

#endif
