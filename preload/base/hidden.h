/* SPDX-License-Identifier: MIT */
/*
 * Marks data that several files of the library share. -fvisibility=hidden applies to definitions
 * only: without this attribute every access from another file would go through the GOT.
 */
#ifndef PRELOAD_BASE_HIDDEN_H
#define PRELOAD_BASE_HIDDEN_H

#define PRELOAD_HIDDEN __attribute__((visibility("hidden")))

/* What the hooks of the heap look at, in few pages: a processor remembers where some 64 pages are. */
#define PRELOAD_HOT __attribute__((section(".data.hot"), aligned(64)))

#endif
