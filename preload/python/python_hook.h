/* SPDX-License-Identifier: MIT */
/*
 * An audit hook installed before Py_Initialize(). CPython allocates the hook's entry with the
 * allocator of that moment and frees it at the end with the allocator of then. With
 * PYTHONMALLOC=debug, -X dev and in debug builds the two differ, and the program would be
 * aborted. Here the entry goes back to the allocator that it came from.
 */
#ifndef PRELOAD_PYTHON_PYTHON_HOOK_H
#define PRELOAD_PYTHON_PYTHON_HOOK_H

/*
 * Call once, in the constructor. The hook must pass the events that it sees to python_hook_see().
 */
void python_hook_add(int (*hook)(const char *event, void *arguments, void *data));

/* Takes an audit event of CPython itself. With the GIL. */
void python_hook_see(const char *event);

#endif
