/* SPDX-License-Identifier: MIT */
/*
 * The layout of each CPython that is known. From 3.13 on it comes from the words that real
 * interpreters have at the start of _PyRuntime: of 3.13.0, of 3.14.8, and (FREE_THREADED + 14) of a
 * free-threaded 3.14.0.
 */
#ifndef TESTS_UNIT_PYTHON_LAYOUTS_H
#define TESTS_UNIT_PYTHON_LAYOUTS_H

#include "collector/region/python_offsets.h"

#define FREE_THREADED 100u

/* clang-format off */
static const uint64_t offset_words_13[PYTHON_OFFSETS_WORDS] = {
	8750607829840520312u, 51183856, 0, 283320, 608, 632, 194968, 7272, 7264, 7344, 7400, 7656,
	7640, 7648, 16, 7752, 0, 7768, 7760, 304, 0, 8, 16, 72, 152, 160, 232, 32, 80, 8, 0, 56,
	72, 70, 208, 112, 120, 128, 136, 68, 52, 96, 104, 200, 16, 8, 416, 24, 88, 168, 32, 24,
	16, 40, 24, 16, 48, 32, 40, 24, 16, 32, 16, 24, 40, 16, 32, 64, 32, 16, 40, 240, 200
};

static const uint64_t offset_words_14[PYTHON_OFFSETS_WORDS] = {
	8750607829840520312u, 51251440, 0, 316616, 784, 808, 225864, 7280, 7272, 7344, 7360, 7408,
	7688, 7672, 7680, 16, 7784, 0, 7800, 7792, 7992, 0, 832, 0, 8, 16, 72, 152, 160, 232, 32,
	88, 8, 0, 56, 80, 74, 64, 0, 216, 112, 120, 128, 136, 68, 52, 96, 104, 208, 0, 16, 8, 416,
	24, 88, 168, 40, 32, 16, 40, 24, 16, 200, 24, 40, 32, 48, 32, 40, 24, 16, 32, 16, 24, 40,
	16, 32, 64, 32, 16, 40, 264, 192, 160, 24, 72, 67, 0, 8, 24, 304, 8076, 0, 4, 512, 1
};

static const uint64_t offset_words_14_free[PYTHON_OFFSETS_WORDS] = {
	8750607829840520312u, 51249392, 1, 362304, 784, 808, 246656, 7280, 7272, 7344, 7360, 7408,
	7712, 7696, 7704, 16, 7808, 0, 7832, 7824, 8024, 17628, 824, 0, 8, 16, 72, 152, 160, 232,
	32, 88, 8, 0, 56, 80, 78, 64, 72, 240, 128, 136, 144, 152, 84, 68, 112, 120, 232, 224, 32,
	24, 432, 40, 104, 184, 56, 48, 32, 56, 40, 32, 216, 40, 56, 48, 64, 48, 56, 40, 32, 48,
	32, 40, 56, 32, 48, 80, 48, 32, 56, 288, 192, 176, 40, 88, 83, 0, 8, 24, 304, 8108, 0, 4,
	512, 1
};
/* clang-format on */

/* NULL: up to 3.12 they say nothing. */
static inline const uint64_t *offset_words_of(unsigned int minor)
{
	if (minor == 13)
		return offset_words_13;
	if (minor == 14)
		return offset_words_14;
	return minor == FREE_THREADED + 14 ? offset_words_14_free : NULL;
}

/* For a walk over all that are known, from 8 on; 0: it was the last. */
static inline unsigned int layout_next(unsigned int minor)
{
	if (minor < 14)
		return minor + 1;
	return minor == 14 ? FREE_THREADED + 14 : 0;
}

/* NULL: it is not known. Holds until the next call for such a version. */
static inline const struct python_layout *layout_of(unsigned int minor)
{
	static struct python_layout layout;
	const uint64_t *words = offset_words_of(minor);

	if (!words)
		return python_layout_of(minor);
	return python_offsets_take(words, minor % FREE_THREADED, &layout) ? &layout : NULL;
}

#endif
