/* SPDX-License-Identifier: MIT */
/*
 * Originals of the interposed functions of libc. hook_real.<name> is the next definition after
 * ours, in whichever library; NULL if nobody defines it. Originals of other libraries are looked
 * up by the family that interposes them, which knows their types.
 *
 * hook_resolve() may be called by any thread at any time, even before our constructor. It takes
 * no lock, does not allocate and calls nothing of libc (origin.h). Two threads that come first
 * together write the same values.
 */
#ifndef PRELOAD_HOOK_HOOK_H
#define PRELOAD_HOOK_HOOK_H

/* the headers that declare the interposed functions */
#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
/* these are macros when the compiler optimises */
#undef fread_unlocked
#undef fwrite_unlocked

#include "preload/base/hidden.h"

#define HOOK_FIELD_libc(returns, name, parameters) returns(*name) parameters;
#define HOOK_FIELD_alias(returns, name, parameters)
#define HOOK_FIELD_allocator(returns, name, parameters)
#define HOOK_FIELD_nvtoolsext(returns, name, parameters)

struct hook_originals {
#define HOOK(library, returns, name, parameters, arguments) \
	HOOK_FIELD_##library(returns, name, parameters)
#include "preload/families.def"
};

PRELOAD_HIDDEN extern struct hook_originals hook_real;
PRELOAD_HIDDEN extern bool hook_ready; /* the originals in libc are known */

/*
 * Looks up the originals if that has not been done. Returns false if no malloc() of libc can be
 * found.
 */
bool hook_resolve(void);

/*
 * Each function is declared again from the list, so that the compiler compares it with libc's own
 * headers.
 */
#define HOOK_DECLARE_libc(returns, name, parameters) returns name parameters;
#define HOOK_DECLARE_alias(returns, name, parameters) returns name parameters;
#define HOOK_DECLARE_allocator(returns, name, parameters) returns name parameters;
#define HOOK_DECLARE_nvtoolsext(returns, name, parameters)
#define HOOK(library, returns, name, parameters, arguments) \
	HOOK_DECLARE_##library(returns, name, parameters)
#include "preload/families.def"

#define HOOK_EXPORT __attribute__((visibility("default")))

/*
 * For the part of a hook that records, when the hook itself only decides whether to, and jumps
 * there or to the original: so what is not recorded needs no frame. Its frame is where the hook's
 * would be, with the same return address. Without optimisation there are no such jumps.
 */
#ifdef __OPTIMIZE__
#define HOOK_RECORDED __attribute__((noinline))
#else
#define HOOK_RECORDED inline __attribute__((always_inline))
#endif

#endif
