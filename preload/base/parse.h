/* SPDX-License-Identifier: MIT */
/*
 * Words, numbers and sizes as users write them in settings. The whole text must be right; a result is
 * untouched when it is not. No locale, no errno.
 */
#ifndef PRELOAD_BASE_PARSE_H
#define PRELOAD_BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* Index of the word in a list that ends with NULL, or -1. */
int parse_word(const char *text, const char *const *words);

/* Decimal digits, at most `max`. */
bool parse_number(const char *text, unsigned int max, unsigned int *ret_value);

/* 500ns, 10us, 2ms or 1s; 0 without a unit, too. */
bool parse_time(const char *text, uint64_t *ret_ns);

/* 64, 64K, 64M, 64MiB, 64MB: always powers of 1024. */
bool parse_size(const char *text, uint64_t *ret_bytes);

#endif
