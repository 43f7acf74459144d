/* SPDX-License-Identifier: MIT */
/*
 * Symbols that only glibc has, declared weak. With another libc (musl) the library still loads,
 * stays passive, and the program runs on. A caller checks glibc_is_here() first.
 */
#ifndef PRELOAD_GLIBC_H
#define PRELOAD_GLIBC_H

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdbool.h>
#include <stdlib.h>

#pragma weak gnu_get_libc_version
#pragma weak dladdr1
#pragma weak on_exit

/*
 * pthread_atfork() calls this function, but is not in libc.so itself. The handlers are removed when
 * `object` is unloaded.
 */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *object) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static inline bool glibc_is_here(void)
{
	return gnu_get_libc_version != NULL;
}

#endif
