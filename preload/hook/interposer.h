/* SPDX-License-Identifier: MIT */
/*
 * The originals of functions whose libraries come in by dlopen() (CUDA, PyTorch): what another
 * preloaded library interposes, and how to keep the library of an original loaded. Functions of
 * libc: origin.h.
 *
 * Memory that dlsym() and dlopen() allocate is not the program's and is not recorded. Any
 * thread, but not from within a function of the heap, because both take ld.so's lock.
 */
#ifndef PRELOAD_HOOK_INTERPOSER_H
#define PRELOAD_HOOK_INTERPOSER_H

/*
 * Returns the definition in another preloaded library, or in a library that the program is linked
 * with. NULL if no other library is preloaded, or none of them defines it.
 */
void *interposer_find(const char *name);

/*
 * Returns the definition that the caller at that address would have got without us: the next one
 * behind us, or else that of its own object and the libraries that it is linked with. NULL: none.
 */
void *interposer_find_for(const char *name, const void *caller);

/* Prevents the object that holds the function from being unloaded. */
void interposer_pin(void *function);

#endif
