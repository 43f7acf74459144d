/* SPDX-License-Identifier: MIT */
/*
 * Functions that an allocator defines besides malloc() and its relatives: C++'s operators, and
 * functions of its own.
 *
 * jemalloc, tcmalloc and mimalloc have an operator new that does not call malloc(). If such an
 * allocator is loaded behind us, these names are hooks like all others. Otherwise we must not
 * define them, for three reasons. libstdc++'s operator new calls malloc(). A library that dlopen()
 * brings in looks its operators up in its own scope, which we cannot see. A program may test
 * whether they exist (weak symbols).
 *
 * So allocator_names_withdraw() removes from our symbol table those names that the allocator does
 * not define. If a caller has bound one of them before, the call jumps to the next definition.
 *
 * The allocator is the object with the malloc() behind ours. Any thread; no lock, no allocation.
 */
#ifndef PRELOAD_HOOK_ALLOCATOR_NAMES_H
#define PRELOAD_HOOK_ALLOCATOR_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/base/hidden.h"

enum allocator_name {
#define ALLOCATOR_NAME_libc(name)
#define ALLOCATOR_NAME_alias(name)
#define ALLOCATOR_NAME_nvtoolsext(name)
#define ALLOCATOR_NAME_allocator(name) ALLOCATOR_##name,
#define HOOK(library, returns, name, parameters, arguments) ALLOCATOR_NAME_##library(name)
#include "preload/families.def"
	ALLOCATOR_NAMES,
};

struct allocator_function {
	void *next;         /* the next definition; NULL: not looked up yet, or there is none */
	bool is_allocators; /* the allocator defines it, so it is recorded */
};

PRELOAD_HIDDEN extern struct allocator_function allocator_function[ALLOCATOR_NAMES];

/* Finds the next definition of a function that is not known yet. NULL if nobody defines it. */
void *allocator_names_find(enum allocator_name name);

static inline void *allocator_next(enum allocator_name name)
{
	void *next = __atomic_load_n(&allocator_function[name].next, __ATOMIC_RELAXED);

	return __builtin_expect(next != NULL, 1) ? next : allocator_names_find(name);
}

static inline bool allocator_has(enum allocator_name name)
{
	return __atomic_load_n(&allocator_function[name].is_allocators, __ATOMIC_RELAXED);
}

/* Call once, in the constructor, before any library that is loaded later looks for these names. */
void allocator_names_withdraw(void);

#endif
