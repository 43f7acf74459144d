/* SPDX-License-Identifier: MIT */
/*
 * The names that threading.Thread(name=...) gave: threads of Python up to 3.13 have the process' name to the kernel.
 *
 * Nothing is called when such a thread has begun. So at CPython's audit events, of whatever thread, the number of threads that `threading`
 * lists is compared, and where it has changed they are looked at, and once more when the program ends. A thread during whose life
 * there is no audit event keeps the kernel's name. With the GIL, or one at a time; nothing of it is seen by the program.
 */
#ifndef PRELOAD_PYTHON_THREAD_NAMES_H
#define PRELOAD_PYTHON_THREAD_NAMES_H

#include "preload/base/hidden.h"

/* At each audit event, once the program runs. */
PRELOAD_HIDDEN void thread_names_see(const char *event);
/* The program ends: names may have changed. */
PRELOAD_HIDDEN void thread_names_end(void);

#endif
