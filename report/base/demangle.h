/* SPDX-License-Identifier: MIT */
/*
 * Names of C++, Rust and Fortran modules as people wrote them, from the names that a compiler made of them. The names may be of any
 * length and made by anybody: time and memory are bounded for each and for all together, and a name
 * that would pass a bound, or that is no mangled name, is not demangled.
 */
#ifndef REPORT_BASE_DEMANGLE_H
#define REPORT_BASE_DEMANGLE_H

#include <stdbool.h>

#include "report/base/memory.h"

#define DEMANGLE_INPUT_MAX 12288u  /* bytes of a mangled name */
#define DEMANGLE_OUTPUT_MAX 65536u /* bytes of one name; substitutions can double it many times */
#define DEMANGLE_OUTPUT_ALL (128u << 20) /* of all names of a demangler */

struct demangler {
	struct text_store texts; /* the names */
	size_t output;           /* bytes made so far, those that were thrown away included */
};

/* A demangler of zeros is new. */
void demangler_release(struct demangler *demangler);
/*
 * The name, without its return type, with or without its parameters; it lives as long as the demangler.
 * NULL when `name` is to be shown as it is.
 */
const char *demangle(struct demangler *demangler, const char *name, size_t length,
		     bool with_parameters);

/* Whether a compiler of Rust made it. Older ones end with "17", an h, the hash of it and "E". */
#define DEMANGLE_RUST_HASH 17u /* bytes: the h and the hash */
bool demangle_is_rust(const char *name, size_t length);

#endif
