/* SPDX-License-Identifier: MIT */
/*
 * Objects that CPython calls directly: their type is our own and has the vectorcall protocol (3.9
 * and newer). A builtin function would take 4 ns more per call. With the GIL. The objects live for
 * ever.
 */
#ifndef PRELOAD_FUNCTIONS_CALLBACK_H
#define PRELOAD_FUNCTIONS_CALLBACK_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/base/hidden.h"

/* As vectorcallfunc: `flags` are CALLBACK_COUNT() and a bit. Returns a new reference. */
typedef void *callback_function(void *self, void *const *argument, size_t flags, void *names);

#define CALLBACK_COUNT(flags) ((flags) & ~((size_t)1 << 63))

struct callback {
	const char *name;
	callback_function *call;
};

/*
 * Puts an object for each callback into the dict, by name. `head_words`: the words before an
 * object's own data, the last of them its type. Returns false if this CPython lacks something, or
 * there is no memory.
 */
bool callbacks_put(void *dict, unsigned int head_words, const struct callback *callback,
		   size_t count) PRELOAD_HIDDEN;

#endif
