/* SPDX-License-Identifier: MIT */
/*
 * The way in which C calls a function object of Python: a pointer in the object, which is made to
 * point to a function of ours. Seen from Python nothing changes: it is the same object with the
 * same code, and there is no frame more in tracebacks.
 *
 * From 3.12 on also Python code calls a function by this pointer if it is not CPython's own.
 * 3.11 enters the function's code without it where Python code calls the function object itself.
 *
 * CPython 3.8 to 3.14. The caller holds the GIL. Nothing is owned.
 */
#ifndef PRELOAD_PYTHON_VECTORCALL_H
#define PRELOAD_PYTHON_VECTORCALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef void *vectorcall(void *callable, void *const *argument, size_t flags, void *names);

/*
 * Call first. Returns false if this interpreter was built in an unknown way: then nothing else here
 * may be called. Searches all libraries the first time.
 */
bool vectorcall_find(void);

/* Returns the type of an object, without a reference. */
void *vectorcall_type_of(void *object);

/* True if the interpreter was built without the GIL. */
bool vectorcall_is_free_threaded(void);

/*
 * Makes C call `ours` instead of the function. What it was called with before is stored to
 * `original`, before that. Does nothing if `ours` is there already. Returns false if it cannot be
 * done: `function` is no function object, or its pointer is another one than `original` has from
 * an earlier call.
 */
bool vectorcall_put(void *function, vectorcall *ours, _Atomic(vectorcall *) *original);

/*
 * For `ours`: what it was called with before. CPython has read the pointer to `ours` without an
 * order, perhaps without the GIL, so the fence orders that.
 */
static inline vectorcall *vectorcall_original(_Atomic(vectorcall *) *original)
{
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(original, memory_order_relaxed);
}

#endif
