/* SPDX-License-Identifier: MIT */
/*
 * The originals of functions whose libraries come in by dlopen() (CUDA, PyTorch): what another preloaded library
 * puts between, and how to keep the library of one that was found. Functions of libc: origin.h.
 *
 * What dlsym() and dlopen() allocate is not the program's and is not recorded. Any thread, not from within a
 * function of the heap: they take ld.so's lock.
 */
#ifndef PRELOAD_HOOK_INTERPOSER_H
#define PRELOAD_HOOK_INTERPOSER_H

/* That of another preloaded library, or of one that the program is linked with; NULL where nothing is preloaded
 * beside us, or nobody there has it. */
void *interposer_find(const char *name);

/* The object that holds the function is not unloaded any more. */
void interposer_pin(void *function);

#endif
