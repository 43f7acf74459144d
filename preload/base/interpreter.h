/* SPDX-License-Identifier: MIT */
/*
 * Tells whether a caller is CPython's own code. Python runs its signal handlers between two
 * instructions, never within malloc(), so code that the interpreter calls on a thread with the
 * GIL may allocate.
 *
 * The interpreter is an object of its own (libpython*) or the program (python*). An interpreter
 * linked into another program or library is ignored, because that program has signal handlers of
 * its own. It is looked for once, at the start.
 */
#ifndef PRELOAD_BASE_INTERPRETER_H
#define PRELOAD_BASE_INTERPRETER_H

#include <stdbool.h>

/* Call in the constructor. Takes ld.so's lock. */
void interpreter_find(void);

/*
 * True if `address` belongs to the interpreter and this thread holds the GIL. Any thread, signal
 * handlers too: loads only.
 */
bool interpreter_calls(const void *address);

/*
 * Returns 11 for Python 3.11. 0: there is no interpreter, or it is not CPython 3. Valid after the
 * interpreter's end, too.
 */
unsigned int interpreter_minor(void);

#endif
