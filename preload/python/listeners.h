/* SPDX-License-Identifier: MIT */
/*
 * The functions of listeners.def. Files that define one include this, so that the compiler compares
 * the two.
 */
#ifndef PRELOAD_PYTHON_LISTENERS_H
#define PRELOAD_PYTHON_LISTENERS_H

#include <stdbool.h>

#include "preload/base/hidden.h"

#define LISTENER(event, function) PRELOAD_HIDDEN bool function(void *arguments);
#include "preload/python/listeners.def"

#endif
