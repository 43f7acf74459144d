/* SPDX-License-Identifier: MIT */
/*
 * Finds the loaded object that defines a CUDA function, as ld.so would for the calling object. A
 * library of CUDA is recognised by its soname, also if a pip package has renamed it
 * (libcudart-0123abcd.so.11.0). For an object named by DT_NEEDED, the name does not matter.
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
	/* from the soname: 12 for libcudart.so.12 and for libcudart-0123abcd.so.12.1 */
	uint32_t major;
};

/* True if it is the name of a library of that kind. NULL is not. */
bool cuda_soname_is_of(const char *soname, enum cuda_kind kind);

/* Opens the tables of a loaded object. Returns false if it has none in a known form. */
bool cuda_search_open(const struct object *object, struct symbols *s);

/* Searches the objects named by the caller's DT_NEEDED; the first that has the function counts. */
struct cuda_definition cuda_search_needed(const struct symbols *caller, const char *function);

/* Searches any library of the kind, and then any object but this one. */
struct cuda_definition cuda_search_loaded(enum cuda_kind kind, const char *function);

#endif
