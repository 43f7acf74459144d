/* SPDX-License-Identifier: MIT */
/* Looks numbers up in sorted arrays whose elements begin with a uint64_t: a time or an address. */
#ifndef REPORT_BASE_SORTED_H
#define REPORT_BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Returns how many elements are at most `value`, which is the index of the first one above it.
 * `bytes` is the size of an element.
 */
static inline size_t sorted_count_up_to(const void *array, size_t count, size_t bytes,
					uint64_t value)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t first;

		memcpy(&first, (const char *)array + middle * bytes, sizeof(first));
		if (first <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
