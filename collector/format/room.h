/* SPDX-License-Identifier: MIT */
/*
 * Room for one more element in an array that grows: it doubles. For code whose memory may run out;
 * where that ends the program, report/base/memory.h is used. Not thread-safe.
 */
#ifndef COLLECTOR_FORMAT_ROOM_H
#define COLLECTOR_FORMAT_ROOM_H

#include <stddef.h>
#include <stdlib.h>

#define ROOM_FIRST 16u

/*
 * `array`: `*room` elements of `size` bytes, of which `count` are in use; NULL without room.
 * Returns where it is now. NULL without memory: then it is where it was.
 */
static inline void *room_for_one(void *array, size_t *room, size_t count, size_t size)
{
	size_t larger = *room ? *room * 2 : ROOM_FIRST;

	if (count < *room)
		return array;
	array = reallocarray(array, larger, size);
	if (array)
		*room = larger;
	return array;
}

#endif
