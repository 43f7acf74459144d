/* SPDX-License-Identifier: MIT */
/*
 * The end of a process image without exit(): Python's os._exit() and os.exec*(). Events that are
 * still held back are recorded now.
 */
#ifndef PRELOAD_LIFE_DEPARTURE_H
#define PRELOAD_LIFE_DEPARTURE_H

/*
 * Before the gates shut. `caller`: return address of the function that was called. Only where CPython's code called it: any
 * other caller may be a signal handler that interrupted malloc() or CUDA. In a child of vfork() all is the parent's, and
 * nothing happens. Takes a second at most; may make a thread, which ends with its work.
 */
void departure_flush(const void *caller);

#endif
