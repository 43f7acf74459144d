/* SPDX-License-Identifier: MIT */
/* Types of CPython's that tell one callable from another, and what stands in objects of them. With the GIL. */
#ifndef PRELOAD_FUNCTIONS_CALL_TYPES_H
#define PRELOAD_FUNCTIONS_CALL_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/base/hidden.h"

struct call_types {
	void *function, *descriptor, *code,
		*method;        /* method: of C functions that know their class, or NULL */
	unsigned int type_word; /* of an object: its type */
};

PRELOAD_HIDDEN extern struct call_types call_types;

/* Once; false: CPython is not there, or has other objects. */
bool call_types_find(void) PRELOAD_HIDDEN;

/* A frame's code in 3.8, which has no function for it; borrowed. NULL: what stands there is none. */
void *call_code_in(void *frame) PRELOAD_HIDDEN;

/* PyCFunctionObject: head, m_ml. PyMethodDescrObject: head, d_type, d_name, d_qualname, d_method. NULL: no function of C. */
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
