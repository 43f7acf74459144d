/* SPDX-License-Identifier: MIT */
/*
 * Memory for what a source keeps: objects that live as long as the source, arrays that grow, and
 * lookup by number. Unlike memory.h, nothing here ends the program: a file may ask for too much,
 * and the reader has to report that. Not thread-safe.
 */
#ifndef REPORT_BASE_STORE_H
#define REPORT_BASE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty; addresses do not move. */
struct store {
	struct store_chunk *chunk;
};

/* Zeroed, aligned to 8; NULL if there is no memory. */
void *store_take(struct store *store, size_t bytes);
void store_release(struct store *store);

/*
 * Makes room for one more element in the array at `array_pointer` (a pointer to a pointer), which
 * has `count` of `*room` elements. EVT_NO_MEMORY leaves it as it was.
 */
int array_reserve(void *array_pointer, size_t count, size_t *room, size_t element_bytes);

/* Maps numbers to pointers. Zero-initialised is empty. */
struct lookup {
	struct lookup_slot {
		uint64_t key;
		void *value; /* NULL: empty slot */
	} * slot;
	size_t slots, count;
	uint64_t secret; /* so that a file cannot choose keys that collide */
};

void lookup_release(struct lookup *lookup);
void *lookup_find(const struct lookup *lookup, uint64_t key);
/* `value` must not be NULL. Replaces an earlier value. */
int lookup_put(struct lookup *lookup, uint64_t key, void *value);

#endif
