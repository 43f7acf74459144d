/* SPDX-License-Identifier: MIT */
/*
 * Joins native frames and Python frames into one stack. Each call of C code into the interpreter is
 * a native frame that runs some Python functions; these follow it. The interpreter keeps a struct
 * in that native frame, whose address identifies the frame. From 3.12 on it is the C frame at the
 * head of its functions; in 3.10 and 3.11 it is a struct chained to the thread state.
 */
#ifndef PRELOAD_PYFRAMES_JOIN_H
#define PRELOAD_PYFRAMES_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/region/python_layout.h"
#include "preload/record/recorder.h"

/*
 * Call once, with the GIL. Returns false if this version has no such struct, or there is no memory.
 */
bool join_begin(const struct python_layout *layout);

/*
 * Joins `native` and `python`, which must be this thread's last stacks. Returns the id; 0: they do
 * not match, or the ring has no room. `lane` is IN_RECORD.
 */
uint64_t join_stacks(struct recorder_lane *lane, uint64_t native, uint64_t python);

#endif
