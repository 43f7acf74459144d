/* SPDX-License-Identifier: MIT */
/*
 * An audit hook from before Py_Initialize(). CPython allocates its entry with the allocator of that time
 * and frees it, as it ends, with the one of then: with PYTHONMALLOC=debug, -X dev and in debug builds that
 * is another one, and the program would be aborted. Here the entry goes back to where it came from.
 */
#ifndef PRELOAD_PYTHON_PYTHON_HOOK_H
#define PRELOAD_PYTHON_PYTHON_HOOK_H

/* Once, in the constructor; the hook has to hand what it sees to python_hook_see(). */
void python_hook_add(int (*hook)(const char *event, void *arguments, void *data));

/* An audit event of CPython itself. With the GIL. */
void python_hook_see(const char *event);

#endif
