/* SPDX-License-Identifier: MIT */
/* stack_holes.c at addresses that are fixed. */
/* build: -no-pie -fno-pie -fno-builtin -fno-optimize-sibling-calls -rdynamic -Wl,--section-start=.init=0x4000000 */
#include "stack_holes.c"
