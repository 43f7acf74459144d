/* SPDX-License-Identifier: MIT */
/* Classes of sizes: powers of two. */
#ifndef REPORT_BASE_SIZE_CLASS_H
#define REPORT_BASE_SIZE_CLASS_H

#include <stdint.h>

#define SIZE_CLASSES 66 /* class 0: size 0; class k: sizes of (2^(k-2), 2^(k-1)] */

static inline unsigned int size_class(uint64_t size)
{
	return size < 2 ? (unsigned int)size : 65 - (unsigned int)__builtin_clzll(size - 1);
}

/* Largest size of a class. */
static inline uint64_t size_class_top(unsigned int class)
{
	return class ? class == 65 ? UINT64_MAX : 1ull << (class - 1) : 0;
}

#endif
