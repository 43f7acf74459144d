/* SPDX-License-Identifier: MIT */
/*
 * Data that several files of the library share. -fvisibility=hidden speaks of definitions only: without
 * this, every access from another file would go through the GOT.
 */
#ifndef PRELOAD_BASE_HIDDEN_H
#define PRELOAD_BASE_HIDDEN_H

#define PRELOAD_HIDDEN __attribute__((visibility("hidden")))

#endif
