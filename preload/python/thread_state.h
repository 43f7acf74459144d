/* SPDX-License-Identifier: MIT */
/* What CPython's version says of a thread's state. */
#ifndef PRELOAD_PYTHON_THREAD_STATE_H
#define PRELOAD_PYTHON_THREAD_STATE_H

#include <stddef.h>

#include "preload/base/hidden.h"

/* 11 of "3.11.7 (main, ..."; 0: no CPython 3. */
PRELOAD_HIDDEN unsigned int python_minor(void);

/* Where a thread's state has the block that its innermost frames lie in; a block begins with the one before it. 0: not known, or
 * before 3.11, where frames are objects. */
PRELOAD_HIDDEN size_t python_chunk_at(unsigned int minor);

#endif
