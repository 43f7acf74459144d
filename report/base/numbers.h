/* SPDX-License-Identifier: MIT */
/* Plain numbers in an array that the caller owns. */
#ifndef REPORT_BASE_NUMBERS_H
#define REPORT_BASE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* The smallest first. `number` may be NULL if there are none. */
void numbers_sort(uint64_t *number, size_t count);
/* Sorts them and returns the median; of two in the middle, the lower one; of none, 0. */
uint64_t numbers_median(uint64_t *number, size_t count);

#endif
