/* SPDX-License-Identifier: MIT */
/*
 * Parses words, numbers and sizes as users write them in settings. The whole text must be valid;
 * otherwise the result is untouched. No locale, no errno.
 */
#ifndef PRELOAD_BASE_PARSE_H
#define PRELOAD_BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the index of the word in a list that ends with NULL, or -1. */
int parse_word(const char *text, const char *const *words);

/* Accepts decimal digits with a value of at most `max`. */
bool parse_number(const char *text, unsigned int max, unsigned int *ret_value);

/* Accepts 500ns, 10us, 2ms, 1s, and 0 without a unit. */
bool parse_time(const char *text, uint64_t *ret_ns);

/* Accepts 64, 64K, 64M, 64MiB, 64MB. Units are always powers of 1024. */
bool parse_size(const char *text, uint64_t *ret_bytes);

#endif
