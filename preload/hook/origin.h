/* SPDX-License-Identifier: MIT */
/*
 * Finds the next definition of a function after ours, as dlsym(RTLD_NEXT) would, without
 * dlsym().
 *
 * The program's first malloc() may come from a constructor that runs before ours, while libc
 * holds any of its locks. dlsym() takes ld.so's lock, and dlerror() after a missing name
 * translates its message, which takes gettext's lock: curl, ps, git and psql deadlocked. So the
 * objects are walked in ld.so's search order, and each symbol table is read as ld.so reads it
 * (symbols.h).
 *
 * No lock, no allocation, no system call; any thread, from the first instruction on. The walk
 * ends at the first definition. The definitions of malloc() and its relatives are in objects
 * that the program was started with. Those are never unloaded, and nothing behind them is read.
 * For any other name the caller must hold off dlclose().
 */
#ifndef PRELOAD_HOOK_ORIGIN_H
#define PRELOAD_HOOK_ORIGIN_H

#include <link.h>

#include "preload/base/hidden.h"

/* NULL when no object behind ours defines it. */
PRELOAD_HIDDEN void *origin_next(const char *name);
/*
 * As origin_next(), and also returns the object that defines it. ret_owner is untouched if there is
 * none.
 */
PRELOAD_HIDDEN void *origin_next_in(const char *name, const struct link_map **ret_owner);
/* Returns this library's entry in ld.so's list, or NULL. */
PRELOAD_HIDDEN const struct link_map *origin_own_object(void);

#endif
