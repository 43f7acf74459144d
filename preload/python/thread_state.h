/* SPDX-License-Identifier: MIT */
/* What the version of CPython tells about a thread's state. */
#ifndef PRELOAD_PYTHON_THREAD_STATE_H
#define PRELOAD_PYTHON_THREAD_STATE_H

#include <stddef.h>

#include "preload/base/hidden.h"

/* Returns 11 for "3.11.7 (main, ..."; 0: no CPython 3. */
PRELOAD_HIDDEN unsigned int python_minor(void);

/*
 * Returns where a thread's state has the block that contains its innermost frames. A block begins
 * with a pointer to the previous one. 0: not known, or before 3.11, where frames are objects.
 */
PRELOAD_HIDDEN size_t python_chunk_at(unsigned int minor);

#endif
