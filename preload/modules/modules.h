/* SPDX-License-Identifier: MIT */
/*
 * Calls of PyTorch's modules (nn.Module), only with INTERCEPT_TRACE=+modules. Calls of the function
 * nn.Module.__call__ are seen by the pointer that C calls it by; torch's hooks are not used.
 *
 * CPython 3.8 to 3.14, torch 1.13 to 2.15.
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
