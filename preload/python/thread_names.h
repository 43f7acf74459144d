/* SPDX-License-Identifier: MIT */
/*
 * The names given by threading.Thread(name=...). Up to 3.13, the kernel knows Python's threads only
 * by the process's name.
 *
 * CPython calls nobody when such a thread has started. So at its audit events, on any thread, the
 * number of threads that `threading` lists is compared with the last one. If it has changed, the
 * threads are examined; and once more when the program ends. A thread that ends without an audit
 * event keeps the kernel's name. With the GIL, or one thread at a time. The program cannot notice
 * it.
 */
#ifndef PRELOAD_PYTHON_THREAD_NAMES_H
#define PRELOAD_PYTHON_THREAD_NAMES_H

#include "preload/base/hidden.h"

/* Call at each audit event once the program runs. */
PRELOAD_HIDDEN void thread_names_see(const char *event);
/* The program ends: names may have changed. */
PRELOAD_HIDDEN void thread_names_end(void);

#endif
