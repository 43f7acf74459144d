/* SPDX-License-Identifier: MIT */
/*
 * Parts of demangled C++ and Rust names, found by their brackets. For other texts they return some
 * text, too. Pure functions, linear time.
 */
#ifndef REPORT_BASE_SYMBOL_H
#define REPORT_BASE_SYMBOL_H

#include <stddef.h>

/*
 * The name alone, without namespaces and template arguments, of a name without parameters. Points
 * into `name`.
 */
const char *symbol_base(const char *name, size_t length, size_t *ret_length);

/*
 * What distinguishes names in little room: without parameters and namespaces, with template
 * arguments. `shown` must have room for length + 1. Returns the length.
 */
size_t symbol_compact(char *shown, const char *name, size_t length);

/*
 * The name alone, with the first of its template arguments that is a class or a function: what
 * distinguishes `Kernel2<cutlass_80_simt_sgemm>` or `elementwise_kernel<AddFunctor>` in one line.
 * `shown` must have room for length + 1. Returns the length.
 */
size_t symbol_brief(char *shown, const char *name, size_t length);

/*
 * Shortens the name to at most `width` columns, for people. Generic arguments are shortened first:
 * `Vec<HashMap<K, V>>` becomes `Vec<HashMap<...>>`, then `Vec<...>`. Then the middle is removed,
 * but not the function at the end and what follows it. Other texts are shortened by text_shorten().
 * `shown` must have room for length + 2 * strlen(mark) + 1.
 */
size_t symbol_shorten(char *shown, const char *name, size_t length, size_t width, const char *mark);

#endif
