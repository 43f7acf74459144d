/* SPDX-License-Identifier: MIT */
/*
 * Parts of demangled C++ names, found by their brackets. Of text that is no such name they give
 * something, too. Pure functions, linear time.
 */
#ifndef REPORT_BASE_SYMBOL_H
#define REPORT_BASE_SYMBOL_H

#include <stddef.h>

/* The name alone of one without parameters: no namespaces, no template arguments. Points into `name`. */
const char *symbol_base(const char *name, size_t length, size_t *ret_length);

/*
 * What tells names apart in little room: without parameters and namespaces, with template arguments.
 * `shown` has room for length + 1. Returns the length.
 */
size_t symbol_compact(char *shown, const char *name, size_t length);

#endif
