/* SPDX-License-Identifier: MIT */
/*
 * What an allocator defines beside malloc() and its kin: C++'s operators, functions of its own.
 *
 * jemalloc, tcmalloc and mimalloc have an operator new that does not come through malloc(). Where such an allocator
 * is behind us, these names are hooks as all others are. Everywhere else they are not ours to have: libstdc++'s operator
 * new calls malloc(); a library that dlopen() brings in looks its operators up in its own scope, which we cannot see; and a program
 * may ask whether they are there (weak symbols). So allocator_names_withdraw() takes those out of our symbol
 * table again that the allocator does not define. Who had bound one of them by then gets the next definition by a jump.
 *
 * The allocator is the object that has the malloc() behind ours. Any thread; no lock, no allocation.
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
	void *next;         /* the next definition, NULL: not looked for yet, or there is none */
	bool is_allocators; /* that is the allocator's own: to be recorded */
};

PRELOAD_HIDDEN extern struct allocator_function allocator_function[ALLOCATOR_NAMES];

/* The next definition of one that is not known yet; NULL: nobody has it. */
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

/* Once, in the constructor, while nothing that was loaded later has looked for them. */
void allocator_names_withdraw(void);

#endif
