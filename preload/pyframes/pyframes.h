/* SPDX-License-Identifier: MIT */
/*
 * The Python frames of the calling thread, as a stack of frames in its ring: README.md. Read as plain memory, with the
 * GIL or without; only this thread changes them. Off until a check has shown that the layout is known.
 *
 * No lock, no allocation but a thread's first stack (mmap). errno is kept.
 */
#ifndef PRELOAD_PYFRAMES_PYFRAMES_H
#define PRELOAD_PYFRAMES_PYFRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/region/python_layout.h"
#include "preload/base/hidden.h"
#include "preload/record/limitation.h"

/* Whether INTERCEPT_STACKS asks for them, or large blocks have them, of anything that is recorded. */
bool pyframes_are_wanted(void);

/* A function of ours that runs right now, as Python says. */
struct pyframes_example {
	uint64_t code, outer_code;
	const char *function, *file;
	uint32_t line;
};

/*
 * `layout` has been checked for this process; `runtime` is &_PyRuntime. Reads the stack of now and compares its innermost
 * frames with the example; from then on stacks have Python frames. False: they differ, or there is no memory. With the
 * GIL, once.
 */
bool pyframes_begin(const struct python_layout *layout, void *runtime, void *code_type,
		    const struct pyframes_example *example);

/* Says why there will be none, to whom has asked for them. */
void pyframes_refuse(enum limitation why);

#endif
