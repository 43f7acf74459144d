/* SPDX-License-Identifier: MIT */
/*
 * Joins native frames and Python frames into one stack. Each call of C code into the interpreter
 * is a native frame that stands for the Python functions which it runs; these follow it. The
 * interpreter keeps a struct in that native frame, whose address identifies it: from 3.12 on the
 * C frame at the head of its functions, in 3.10 and 3.11 a struct chained to the thread state.
 */
#ifndef PRELOAD_PYFRAMES_JOIN_H
#define PRELOAD_PYFRAMES_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/region/python_layout.h"
#include "preload/record/recorder.h"

/* Once, with the GIL. False: this version has no such memory, or there is none of ours. */
bool join_begin(const struct python_layout *layout);

/*
 * The id of both, `native` and `python` being this thread's last ones; 0: they do not fit, or the ring has no room. `lane` is
 * IN_RECORD.
 */
uint64_t join_stacks(struct recorder_lane *lane, uint64_t native, uint64_t python);

#endif
