/* SPDX-License-Identifier: MIT */
/*
 * Which loaded object defines a CUDA function, as ld.so would find it for an object that calls it. A
 * library of CUDA is known by its soname, also as pip's packages rename what they bring along
 * (libcudart-0123abcd.so.11.0); for an object that needs one by DT_NEEDED the name says nothing.
 *
 * Any thread; walks the list of loaded objects under ld.so's lock, allocates nothing.
 */
#ifndef PRELOAD_CUDA_CUDA_SEARCH_H
#define PRELOAD_CUDA_CUDA_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/object.h"
#include "preload/base/symbols.h"

enum cuda_kind {
	CUDA_KIND_cudart,
	CUDA_KIND_cuda,
	CUDA_KINDS,
};

struct cuda_definition {
	void *address; /* NULL: none */
	uint32_t
		major; /* as the soname says: 12 of libcudart.so.12 and of libcudart-0123abcd.so.12.1 */
};

/* Is it the name of a library of that kind? NULL is not. */
bool cuda_soname_is_of(const char *soname, enum cuda_kind kind);

/* The tables of a loaded object; false when it has none that we know. */
bool cuda_search_open(const struct object *object, struct symbols *s);

/* In the objects that the DT_NEEDED of the caller name, the first of them that has it. */
struct cuda_definition cuda_search_needed(const struct symbols *caller, const char *function);

/* In any library of the kind, else in any object but this one. */
struct cuda_definition cuda_search_loaded(enum cuda_kind kind, const char *function);

#endif
