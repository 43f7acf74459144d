/* SPDX-License-Identifier: MIT */
/*
 * Sets a variable that the program and its children see, without setenv(). setenv() would leave
 * libc with an array of its own on the heap, so the program's first setenv() would free a block
 * whose allocation was never recorded. Shells also define a setenv() of their own, which works only
 * after their start. The array and the texts are mapped and stay for ever.
 *
 * Call in the constructor, single-threaded, before main() gets its environment.
 */
#ifndef PRELOAD_LIFE_CHILD_ENVIRONMENT_H
#define PRELOAD_LIFE_CHILD_ENVIRONMENT_H

#include <stdbool.h>

/* Does nothing if there is no memory, or if the variable is set and `overwrite` is false. */
void environment_set(const char *name, const char *value, bool overwrite);

#endif
