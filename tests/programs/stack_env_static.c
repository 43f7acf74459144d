/* SPDX-License-Identifier: MIT */
/*
 * The same without a dynamic linker: it cannot be recorded, and its children are given no session.
 */
/* build: -static -fno-builtin */
#include "stack_env.c"
