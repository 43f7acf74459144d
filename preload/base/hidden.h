/* SPDX-License-Identifier: MIT */
/*
 * Marks data that several files of the library share. -fvisibility=hidden applies to definitions
 * only: without this attribute every access from another file would go through the GOT.
 */
#ifndef PRELOAD_BASE_HIDDEN_H
#define PRELOAD_BASE_HIDDEN_H

#define PRELOAD_HIDDEN __attribute__((visibility("hidden")))

/*
 * Data that the heap's hooks read goes into one section, so that it lies in few pages and needs few
 * TLB entries (a processor has about 64).
 */
#define PRELOAD_HOT __attribute__((section(".data.hot"), aligned(64)))

#endif
