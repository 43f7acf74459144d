/* SPDX-License-Identifier: MIT */
/*
 * Converts mangled names of C++, Rust and Fortran modules to names as people wrote them. The
 * mangled names may be of any length and made by anybody. Time and memory are bounded for each name
 * and for all together. A name that would exceed a bound, or is not mangled, is not converted.
 */
#ifndef REPORT_BASE_DEMANGLE_H
#define REPORT_BASE_DEMANGLE_H

#include <stdbool.h>

#include "report/base/memory.h"

#define DEMANGLE_INPUT_MAX 12288u  /* bytes of a mangled name */
#define DEMANGLE_OUTPUT_MAX 65536u /* bytes of one name; substitutions can double it many times */
#define DEMANGLE_OUTPUT_ALL (128u << 20) /* for all names of a demangler */

struct demangler {
	struct text_store texts; /* the names */
	size_t output;           /* bytes made so far, including those that were discarded */
};

/* A demangler of zeros is new. */
void demangler_release(struct demangler *demangler);
/*
 * Returns the name, without its return type, with or without its parameters. It lives as long as
 * the demangler. NULL if `name` is to be shown as it is.
 */
const char *demangle(struct demangler *demangler, const char *name, size_t length,
		     bool with_parameters);

/*
 * The same, with return type and parameters: what __cxa_demangle() makes of a C++ name, and other
 * profilers show.
 */
const char *demangle_whole(struct demangler *demangler, const char *name, size_t length);

/* True if it was made by a Rust compiler. Older ones end with "17", an h, the hash and "E". */
#define DEMANGLE_RUST_HASH 17u /* bytes: the h and the hash */
bool demangle_is_rust(const char *name, size_t length);

#endif
