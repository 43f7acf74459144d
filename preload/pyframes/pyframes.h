/* SPDX-License-Identifier: MIT */
/*
 * The Python frames of the calling thread, as a stack of frames in its ring: see README.md. They
 * are read as plain memory, with the GIL or without, because only this thread changes them. Off
 * until a check has shown that the layout is known.
 *
 * No lock, no allocation but a thread's first stack (mmap). errno is preserved.
 */
#ifndef PRELOAD_PYFRAMES_PYFRAMES_H
#define PRELOAD_PYFRAMES_PYFRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/region/python_layout.h"
#include "preload/base/hidden.h"
#include "preload/record/limitation.h"

/*
 * True if Python frames are recorded in any family: INTERCEPT_STACKS asks for them, or large blocks
 * have them.
 */
bool pyframes_are_wanted(void);

/* A function of ours that is running now, as Python describes it. */
struct pyframes_example {
	uint64_t code, outer_code;
	const char *function, *file;
	uint32_t line;
};

/*
 * `layout` has been checked for this process; `runtime` is &_PyRuntime. Reads the current stack and
 * compares its innermost frames with the example. If they agree, stacks have Python frames from
 * then on. Returns false if they differ, or there is no memory. Call once, with the GIL.
 */
bool pyframes_begin(const struct python_layout *layout, void *runtime, void *code_type,
		    const struct pyframes_example *example);

/* Records why there will be no Python frames, for those who asked for them. */
void pyframes_refuse(enum limitation why);

#endif
