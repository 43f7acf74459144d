/* SPDX-License-Identifier: MIT */
/*
 * Which of our global callbacks are registered with PyTorch (at::RecordFunctionCallback). PyTorch
 * spends about 0.4 us per operator on any callback of its scope. So if only ranges are recorded
 * (INTERCEPT_CAPTURE, INTERCEPT_SCHEDULE), the callback for operators is registered only while
 * something is captured. The callback for user scopes stays, because a label or a step may open a
 * range; there are few user scopes.
 *
 * An operator keeps the callbacks that it began with, so every end has its begin. torch.profiler's
 * callbacks are not touched.
 *
 * PyTorch's functions take a lock of their own and allocate (not recorded). Any thread, also within
 * a callback, but not in a signal handler.
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

/* Looks for the needed functions in an object of PyTorch. True if it has them. */
bool torch_callbacks_find(const struct symbols *s);
/*
 * Adds a callback for all scopes, with inputs if they are wanted: for the known operators of
 * bootstrap.py.
 */
void torch_callbacks_begin(struct torch_callback_functions functions, bool needs_inputs);
/* Removes it. */
void torch_callbacks_give_up(void);
/*
 * Replaces it by the callbacks that record. `scopes_are_known`: user scopes and operators can be
 * distinguished.
 */
void torch_callbacks_run(bool scopes_are_known);

/* The callback for operators is added and removed with capture. */
extern _Atomic bool torch_callbacks_vary PRELOAD_HIDDEN;
/* Capture has opened or shut: adds or removes the callback if that has not been done. */
void torch_callbacks_follow(void);

/*
 * For python/listeners.def, with the GIL: os.fork() is called. A child that has to follow its
 * parent's schedule does so in the operators' callback, and could not add it safely.
 */
bool torch_callbacks_before_fork(void *arguments);

#endif
