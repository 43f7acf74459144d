/* SPDX-License-Identifier: MIT */
/*
 * Sets a variable that the program and its children see. Not by setenv(): that would leave libc with an
 * array of its own on the heap, so that the program's first setenv() would begin by giving back a block that
 * nobody ever saw allocated; and shells define a setenv() of theirs, which works after their start
 * only. The array and the texts are mapped and stay for ever.
 *
 * In the constructor, single-threaded, before main() gets its environment.
 */
#ifndef PRELOAD_LIFE_CHILD_ENVIRONMENT_H
#define PRELOAD_LIFE_CHILD_ENVIRONMENT_H

#include <stdbool.h>

/* Does nothing when the variable is set and not `overwrite`, or when there is no memory. */
void environment_set(const char *name, const char *value, bool overwrite);

#endif
