/* SPDX-License-Identifier: MIT */
/*
 * The end of a process image without exit(): Python's os._exit() and os.exec*(). Events that are
 * still held back are recorded now.
 */
#ifndef PRELOAD_LIFE_DEPARTURE_H
#define PRELOAD_LIFE_DEPARTURE_H

/*
 * Call before the gates shut. `caller` is the return address of the function that was called. Acts
 * only if CPython's code called it, because any other caller may be a signal handler that
 * interrupted malloc() or CUDA. Does nothing in a child of vfork(), where everything belongs to the
 * parent. Takes at most a second. May create a thread, which ends with its work.
 */
void departure_flush(const void *caller);

#endif
