/* SPDX-License-Identifier: MIT */
/* CPython's types that distinguish callables, and the fields of their objects. With the GIL. */
#ifndef PRELOAD_FUNCTIONS_CALL_TYPES_H
#define PRELOAD_FUNCTIONS_CALL_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/base/hidden.h"

struct call_types {
	void *function, *descriptor, *code,
		*method;        /* method: for C functions that know their class, or NULL */
	unsigned int type_word; /* the word of an object that holds its type */
};

PRELOAD_HIDDEN extern struct call_types call_types;

/* Call once. Returns false if CPython is not there, or its objects have another layout. */
bool call_types_find(void) PRELOAD_HIDDEN;

/*
 * A frame's code in 3.8, which has no function for it; borrowed. NULL: the word there is no code.
 */
void *call_code_in(void *frame) PRELOAD_HIDDEN;

/*
 * PyCFunctionObject: head, m_ml. PyMethodDescrObject: head, d_type, d_name, d_qualname, d_method.
 * NULL: no function written in C.
 */
static inline void *call_method_of(void *callable, bool takes_descriptors)
{
	void **words = callable, *type = words[call_types.type_word];

	if (type == call_types.function || (type == call_types.method && type))
		return words[call_types.type_word + 1];
	if (takes_descriptors && type == call_types.descriptor)
		return words[call_types.type_word + 4];
	return NULL;
}

#endif
