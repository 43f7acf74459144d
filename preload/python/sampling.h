/* SPDX-License-Identifier: MIT */
/*
 * What the collector needs to sample this program's Python stacks from outside (collector/samples/): where
 * the interpreter's state lies and which layout it has, in the process's entry of the region. It is put there after a check
 * with a frame of our own: what the offsets read must be what Python says. Nothing of the program changes, and
 * no thread of it does anything later.
 */
#ifndef PRELOAD_PYTHON_SAMPLING_H
#define PRELOAD_PYTHON_SAMPLING_H

#include <stdbool.h>

#include "preload/base/hidden.h"

/* Whether INTERCEPT_SAMPLE asks for it. */
bool sampling_is_wanted(void) PRELOAD_HIDDEN;

/* The argument tuple of check_layout() in bootstrap.py. With the GIL, in the function that it describes. */
void sampling_check(void *arguments) PRELOAD_HIDDEN;

/* Tells what is known into the entry that the process has now: recording has begun, or a forked child has its own.
 * Plain memory and system calls. */
void sampling_tell(void) PRELOAD_HIDDEN;

/* Where glibc keeps a thread's id, from pthread_self() on; 0: not known. */
unsigned int sampling_tid_offset(void) PRELOAD_HIDDEN;

#endif
