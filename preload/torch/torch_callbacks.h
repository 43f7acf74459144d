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
	bool needs_inputs;
};

/* Looks for the needed functions in an object of PyTorch. True if it has them. */
bool torch_callbacks_find(const struct symbols *s);
/* Whether callbacks may be added and removed while operators run: PyTorch 1.13 and later. */
bool torch_callbacks_may_change(void);
/* Adds a callback for all scopes: for the known operators of bootstrap.py. */
void torch_callbacks_begin(const struct torch_callback_functions *shown);
/* Removes it. */
void torch_callbacks_give_up(void);
/*
 * Replaces it by the callbacks that record: `recording`, and, in steps whose types are recorded,
 * `with_types` in place of it; NULL: never. `scopes_are_known`: user scopes and operators can be
 * distinguished.
 */
void torch_callbacks_run(const struct torch_callback_functions *recording,
			 const struct torch_callback_functions *with_types, bool scopes_are_known);

/* The callback for operators is added and removed with capture. */
extern _Atomic bool torch_callbacks_vary PRELOAD_HIDDEN;
/* Capture has opened or shut: adds or removes the callback if that has not been done. */
void torch_callbacks_follow(void);

/* Types are recorded from here on, or no longer. At an edge of a step. */
void torch_callbacks_type(bool on);
/* False where a child was forked in such a step: the callback calls torch_callbacks_follow(). */
bool torch_callbacks_are_typed(void);

/*
 * For python/listeners.def, with the GIL: os.fork() is called. A child that has to follow its
 * parent's schedule does so in the operators' callback, and could not add it safely.
 */
bool torch_callbacks_before_fork(void *arguments);

#endif
