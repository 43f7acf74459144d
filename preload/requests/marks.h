/* SPDX-License-Identifier: MIT */
/*
 * Requests that the user names (INTERCEPT_REQUEST), where no connection of HTTP/1 shows them: a
 * range of a name (label:NAME), or a call of a Python function (MODULE:FUNCTION). Each is a request
 * from its begin to its end, on whatever threads these are.
 *
 * Whoever sees a range or a call tests the words below first: nothing else is done where the
 * setting is not set. Any thread, signal handlers too; no lock, no allocation. errno is preserved.
 */
#ifndef PRELOAD_REQUESTS_MARKS_H
#define PRELOAD_REQUESTS_MARKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/family.h"
#include "preload/record/strings.h"

PRELOAD_HIDDEN extern bool marks_of_labels, marks_of_functions;
/* How many are open. If it is 0, ends need not be reported. */
PRELOAD_HIDDEN extern _Atomic uint32_t marks_open;

PRELOAD_HIDDEN extern const struct family family_marks;

/* A range has begun. `key` identifies it while it is open, and is never 0. */
PRELOAD_HIDDEN void marks_begin_label(uint64_t key, const struct string *name);
/* A call of a function that marks_has_function() knows has begun. */
PRELOAD_HIDDEN void marks_begin_call(uint64_t key, const struct string *name);
PRELOAD_HIDDEN bool marks_is_open(uint64_t key);
/* Does nothing if it is no request. `failed`: the function has raised an exception. */
PRELOAD_HIDDEN void marks_end(uint64_t key, bool failed);

/*
 * Returns whether calls of the function are requests. `qualified` has the classes, as in
 * Class.method; NULL: not known (CPython 3.8 to 3.10), so that the last part decides.
 */
PRELOAD_HIDDEN bool marks_has_function(const char *module, const char *qualified, const char *name);

#endif
