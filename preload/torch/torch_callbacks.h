/* SPDX-License-Identifier: MIT */
/*
 * Which of our global callbacks PyTorch has (at::RecordFunctionCallback). PyTorch spends about 0.4 us an operator on any
 * callback of its scope. So where only ranges are recorded (INTERCEPT_CAPTURE, INTERCEPT_SCHEDULE), the callback of
 * operators is there only while something is captured. The one of user scopes stays, since a label or a step may open a
 * range; there are few of these.
 *
 * An operator keeps the callbacks that it began with: one that began before a change ends as it began, and no end comes
 * without its begin. torch.profiler's callbacks are not touched.
 *
 * The functions of PyTorch take a lock of its own and allocate (not recorded). Any thread, also within a callback, but not
 * a signal handler.
 */
#ifndef PRELOAD_TORCH_TORCH_CALLBACKS_H
#define PRELOAD_TORCH_TORCH_CALLBACKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/base/symbols.h"

struct torch_callback_functions {
	void *(*start)(void **ret_context, const void *function);
	void (*end)(const void *function, void *context);
};

/* In an object of PyTorch: whether it has the functions that are needed. */
bool torch_callbacks_find(const struct symbols *s);
/* Adds one for all scopes, with inputs where they are wanted: for what bootstrap.py shows. */
void torch_callbacks_begin(struct torch_callback_functions functions, bool needs_inputs);
/* Removes it. */
void torch_callbacks_give_up(void);
/* Those that record, in its place. `scopes_are_known`: a user scope can be told from an operator. */
void torch_callbacks_run(bool scopes_are_known);

/* The callback of operators comes and goes with capture. */
extern _Atomic bool torch_callbacks_vary PRELOAD_HIDDEN;
/* Capture has opened or shut: adds or removes it, if that has not been done. */
void torch_callbacks_follow(void);

/* For python/listeners.def, with the GIL: os.fork() is called. A child that has to look whether its parent records does so in
 * this callback, and could not add it safely. */
bool torch_callbacks_before_fork(void *arguments);

#endif
