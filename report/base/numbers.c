/* SPDX-License-Identifier: MIT */
/* See numbers.h: qsort() by value. */
#include "report/base/numbers.h"

#include <stdlib.h>

static int numbers_compare(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return (first > second) - (first < second);
}

void numbers_sort(uint64_t *number, size_t count)
{
	if (count)
		qsort(number, count, sizeof(*number), numbers_compare);
}

uint64_t numbers_median(uint64_t *number, size_t count)
{
	numbers_sort(number, count);
	return count ? number[(count - 1) / 2] : 0;
}
