/* SPDX-License-Identifier: MIT */
/*
 * Parts of demangled C++ and Rust names, found by their brackets. Of text that is no such name they give
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

/*
 * The name in at most `width` columns of a screen, for people: generic arguments give way first, `Vec<HashMap<K, V>>`
 * becomes `Vec<HashMap<...>>`, then `Vec<...>`; then the middle, but not the function itself at the end and what stands behind it.
 * What is no such name is shortened like any text (text_shorten()). `shown` has room for length + 2 * strlen(mark) + 1.
 */
size_t symbol_shorten(char *shown, const char *name, size_t length, size_t width, const char *mark);

#endif
