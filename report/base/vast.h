/* SPDX-License-Identifier: MIT */
/*
 * Arrays that may grow to hundreds of megabytes. Their memory comes from the system and grows by
 * moving pages. So nothing is copied, and no page is touched that contains no element. At least 64
 * KiB each, so only for few arrays.
 *
 * An array belongs to its user, and is released by vast_release(), never by free(). Running out of
 * memory ends the program, as in memory.h. One thread.
 */
#ifndef REPORT_BASE_VAST_H
#define REPORT_BASE_VAST_H

#include <stddef.h>

/* For vast_room(). */
void *vast_room_grow(void *array, size_t count, size_t *capacity, size_t bytes);
/*
 * Makes room for element `count` of an array that holds *capacity elements of `bytes` (at most 64
 * KiB) each; NULL and 0 is empty. Returns the array, which may have moved; new elements are zeros.
 */
static inline void *vast_room(void *array, size_t count, size_t *capacity, size_t bytes)
{
	return count < *capacity ? array : vast_room_grow(array, count, capacity, bytes);
}

/* Takes the array's capacity and element size; NULL is allowed. */
void vast_release(void *array, size_t capacity, size_t bytes);

#endif
