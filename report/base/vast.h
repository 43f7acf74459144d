/* SPDX-License-Identifier: MIT */
/*
 * Arrays that may become hundreds of megabytes: memory of their own from the system, which grows by moving pages, not bytes, so
 * that nothing is copied and no page is touched that holds no element. 64 KiB at least, so for few arrays.
 *
 * An array belongs to whoever has it, and is released by vast_release(), never by free(). Running out of memory ends the
 * program, as in memory.h. One thread.
 */
#ifndef REPORT_BASE_VAST_H
#define REPORT_BASE_VAST_H

#include <stddef.h>

/* For vast_room(). */
void *vast_room_grow(void *array, size_t count, size_t *capacity, size_t bytes);
/*
 * Makes room for element `count` of an array that holds *capacity elements of `bytes` (at most 64 KiB) each; NULL and 0 is
 * empty. Returns the array, which may have moved; new elements are zeros.
 */
static inline void *vast_room(void *array, size_t count, size_t *capacity, size_t bytes)
{
	return count < *capacity ? array : vast_room_grow(array, count, capacity, bytes);
}

/* With the capacity and size that it has; NULL is nothing. */
void vast_release(void *array, size_t capacity, size_t bytes);

#endif
