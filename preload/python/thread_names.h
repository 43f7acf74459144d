/* SPDX-License-Identifier: MIT */
/*
 * The names given by threading.Thread(name=...). Up to 3.13, the kernel only knows the process's
 * name for threads of Python.
 *
 * Nothing is called when such a thread has started. So at CPython's audit events, of any thread,
 * the number of threads that `threading` lists is compared with the last one; if it has changed
 * they are looked at, and once more when the program ends. A thread that ends without an audit
 * event keeps the kernel's name. With the GIL, or one at a time; the program cannot see it.
 */
#ifndef PRELOAD_PYTHON_THREAD_NAMES_H
#define PRELOAD_PYTHON_THREAD_NAMES_H

#include "preload/base/hidden.h"

/* At each audit event, once the program runs. */
PRELOAD_HIDDEN void thread_names_see(const char *event);
/* The program ends: names may have changed. */
PRELOAD_HIDDEN void thread_names_end(void);

#endif
