/* SPDX-License-Identifier: MIT */
/*
 * Calls of PyTorch's modules (nn.Module), with INTERCEPT_TRACE=+modules only: torch's own global hooks,
 * which modules.py registers when torch has been imported, tell us of every forward. Where there is such
 * a hook, a call of a module takes a slower way through torch, and torch.compile guards on it: that is
 * why nobody gets it unasked.
 *
 * torch 1.13 to 2.15; before 2.0 a call that an exception ends is ended by the next one around it.
 */
#ifndef PRELOAD_MODULES_MODULES_H
#define PRELOAD_MODULES_MODULES_H

#include <stdbool.h>

/* For python/listeners.def. torch has been imported; with the GIL. Nothing where the family is not wanted. */
bool modules_begin(void *arguments);

#endif
