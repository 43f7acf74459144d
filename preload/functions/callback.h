/* SPDX-License-Identifier: MIT */
/*
 * Objects that CPython calls without anything in between: of a type of our own that has the vectorcall protocol (3.9 and newer).
 * A builtin function takes 4 ns more a call. With the GIL; what is made lives for ever.
 */
#ifndef PRELOAD_FUNCTIONS_CALLBACK_H
#define PRELOAD_FUNCTIONS_CALLBACK_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/base/hidden.h"

/* As vectorcallfunc: `flags` are CALLBACK_COUNT() and a bit; returns a new reference. */
typedef void *callback_function(void *self, void *const *argument, size_t flags, void *names);

#define CALLBACK_COUNT(flags) ((flags) & ~((size_t)1 << 63))

struct callback {
	const char *name;
	callback_function *call;
};

/*
 * Puts an object for each into the dict, by name. `head_words`: those before an object's own, its type the last of
 * them. False: this CPython lacks something, or there is no memory.
 */
bool callbacks_put(void *dict, unsigned int head_words, const struct callback *callback,
		   size_t count) PRELOAD_HIDDEN;

#endif
