/* SPDX-License-Identifier: MIT */
/*
 * The name of a function in records: the hash of "LINE\tNAME\tFILE". A code object carries the
 * hash itself (co_extra, which lives as long as the code does); functions written in C have a
 * table. INTERCEPT_FUNCTIONS decides by module what is recorded.
 *
 * With the GIL. errno and a pending exception are preserved.
 */
#ifndef PRELOAD_FUNCTIONS_FUNCTION_NAMES_H
#define PRELOAD_FUNCTIONS_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/base/hidden.h"
#include "preload/functions/call_types.h"
#include "preload/record/recorder.h"

/*
 * Call once. Returns false if CPython lacks something. `label` is a function of functions.py,
 * borrowed, and kept for ever.
 */
bool function_names_begin(void *label) PRELOAD_HIDDEN;

/* INTERCEPT_FUNCTIONS leaves it out. */
#define FUNCTION_LEFT_OUT 1u

/* What a code object stores for users of co_extra; the same since 3.6. */
struct function_extra {
	ssize_t count;
	void *word[];
};

struct function_api {
	int (*get_extra)(void *code, ssize_t index, void **ret_extra);
	ssize_t index;
	size_t place; /* of co_extra in a code object, in words; 0: not found */
};
PRELOAD_HIDDEN extern struct function_api function_api;

/* Returns what the code carries: 0 if it was never seen. */
static inline uint64_t function_of_code(void *code)
{
	void **words = code, *value = NULL;
	const struct function_extra *extra;

	if (__builtin_expect(function_api.place && words[call_types.type_word] == call_types.code,
			     1)) {
		extra = words[function_api.place];
		return extra && extra->count > function_api.index
			       ? (uint64_t)(uintptr_t)extra->word[function_api.index]
			       : 0;
	}
	(void)function_api.get_extra(code, function_api.index, &value);
	return (uint64_t)(uintptr_t)value;
}

/*
 * Records the event of a code that is not known yet, or whose text has to be sent again. Its frame
 * is the innermost one. Returns what function_of_code() will return.
 */
uint64_t function_record_code(uint32_t event, void *code) PRELOAD_HIDDEN;

/* The same for a function of C. `method` is its PyMethodDef. */
uint64_t function_of_method(void *method) PRELOAD_HIDDEN;
void function_record_method(uint32_t event, void *method, void *callable) PRELOAD_HIDDEN;

#endif
