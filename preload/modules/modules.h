/* SPDX-License-Identifier: MIT */
/*
 * Calls of PyTorch's modules (nn.Module), only with INTERCEPT_TRACE=+modules. modules.py registers
 * torch's own global hooks when torch has been imported, and they report every forward. With such a
 * hook, a module call takes a slower path through torch, and torch.compile guards on it. That is
 * why this is off by default.
 *
 * torch 1.13 to 2.15. Before 2.0, a call that ends with an exception is ended by the end of the
 * next call around it.
 */
#ifndef PRELOAD_MODULES_MODULES_H
#define PRELOAD_MODULES_MODULES_H

#include <stdbool.h>

/*
 * For python/listeners.def. Called with the GIL when torch has been imported. Does nothing if the
 * family is not wanted.
 */
bool modules_begin(void *arguments);

#endif
