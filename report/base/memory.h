/* SPDX-License-Identifier: MIT */
/*
 * Memory for prof-report's models and tables. If it runs out, the program ends with one line and
 * exit status 1: a report without memory for its rows has nothing to show, and every caller would
 * have to handle that in the same way. Not for the reader, which returns EVT_NO_MEMORY.
 */
#ifndef REPORT_BASE_MEMORY_H
#define REPORT_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Reports that there is no memory for `count` elements and ends the program. */
void memory_give_up(size_t count, size_t bytes) __attribute__((noreturn));
/* `count` zeroed elements; never NULL. */
void *memory_zero(size_t count, size_t bytes);
/* realloc() to `count` elements; never NULL. */
void *memory_grow(void *memory, size_t count, size_t bytes);
/* For memory_room(). */
void *memory_room_grow(void *array, size_t count, size_t *capacity, size_t bytes);
/*
 * Makes room for element `count` of an array that holds *capacity. If it is full, it is doubled and
 * the new part zeroed. Returns the array.
 */
static inline void *memory_room(void *array, size_t count, size_t *capacity, size_t bytes)
{
	return count < *capacity ? array : memory_room_grow(array, count, capacity, bytes);
}

/*
 * For memory of many megabytes that is about to be filled: requests fewer and larger pages, if the
 * system has them.
 */
void memory_ask_huge_pages(void *memory, size_t bytes);

/*
 * For fresh memory of which every page is about to be touched: creates its pages with one call.
 * Otherwise each page costs a fault, and two if it is read before it is written.
 */
void memory_populate(void *memory, size_t bytes);

/* Text that lives as long as the store; addresses do not move. Zero-initialised is empty. */
struct text_store {
	struct text_chunk *chunk;
};
char *text_store_put(struct text_store *store, const char *text, size_t length);
char *text_store_format(struct text_store *store, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void text_store_release(struct text_store *store);
/* Drops everything that was stored since that mark. Later marks become invalid. */
struct text_mark {
	struct text_chunk *chunk;
	size_t used;
};
struct text_mark text_store_mark(const struct text_store *store);
void text_store_rewind(struct text_store *store, struct text_mark mark);

#endif
