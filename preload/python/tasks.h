/* SPDX-License-Identifier: MIT */
/*
 * Where CPython keeps the current context, which tells tasks apart (preload/record/task.h). No
 * header states the offset: a context is entered and then looked for in the thread's state. The
 * program's state is unchanged afterwards.
 */
#ifndef PRELOAD_PYTHON_TASKS_H
#define PRELOAD_PYTHON_TASKS_H

#include <stdbool.h>

#include "preload/base/hidden.h"

/* Whether anything is recorded that nests by task. */
PRELOAD_HIDDEN bool tasks_are_wanted(void);

/* Once, before the program's first line, with the GIL. */
PRELOAD_HIDDEN void tasks_find(void);

#endif
