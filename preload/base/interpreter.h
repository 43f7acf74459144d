/* SPDX-License-Identifier: MIT */
/*
 * CPython's own code, for who has to know whether it is what calls: Python runs its signal handlers between two
 * instructions, never within malloc(). So what its code calls on a thread that has the GIL may allocate.
 *
 * The interpreter is an object of its own (libpython*) or the program (python*). One that is linked into another program
 * or library is not looked at: those have handlers of their own. Found at the start or not at all.
 */
#ifndef PRELOAD_BASE_INTERPRETER_H
#define PRELOAD_BASE_INTERPRETER_H

#include <stdbool.h>

/* In the constructor. Takes ld.so's lock. */
void interpreter_find(void);

/* `address` is the interpreter's, and this thread has the GIL. Any thread, signal handlers too: loads only. */
bool interpreter_calls(const void *address);

/* 11 of Python 3.11; 0: there is none, or another. After the interpreter's end, too. */
unsigned int interpreter_minor(void);

#endif
