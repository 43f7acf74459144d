/* SPDX-License-Identifier: MIT */
/* Memory for prof-report. The only place that ends the program for lack of it. */
#include "report/base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/arch/pages.h"

#define CHUNK_BYTES 65536
#define HUGE_PAGE ((uintptr_t)2 << 20)
#define POPULATE_MIN ((uintptr_t)64 << 10) /* for less, the call is not worth it */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older kernels refuse */
#endif
/* size of an array; a smaller one may fill only a part of a huge page */
#define HUGE_ROOM_MIN (8u << 20)

struct text_chunk {
	struct text_chunk *next;
	size_t used, size;
	char bytes[];
};

void memory_give_up(size_t count, size_t bytes)
{
	fprintf(stderr, "prof-report: out of memory (%zu elements of %zu bytes)\n", count, bytes);
	exit(1);
}

void *memory_zero(size_t count, size_t bytes)
{
	void *memory = calloc(count ? count : 1, bytes);

	if (!memory)
		memory_give_up(count, bytes);
	return memory;
}

void *memory_grow(void *memory, size_t count, size_t bytes)
{
	void *grown = reallocarray(memory, count ? count : 1, bytes);

	if (!grown)
		memory_give_up(count, bytes);
	return grown;
}

void memory_ask_huge_pages(void *memory, size_t bytes)
{
	uintptr_t from = ((uintptr_t)memory + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	uintptr_t to = ((uintptr_t)memory + bytes) & ~(HUGE_PAGE - 1);

	if (from < to)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void memory_populate(void *memory, size_t bytes)
{
	uintptr_t from = arch_page_up((uintptr_t)memory);
	uintptr_t to = arch_page_down((uintptr_t)memory + bytes);

	if (from < to && to - from >= POPULATE_MIN)
		madvise((void *)from, to - from, MADV_POPULATE_WRITE);
}

void *memory_room_grow(void *array, size_t count, size_t *capacity, size_t bytes)
{
	size_t grown = *capacity ? *capacity * 2 : 16;

	if (grown <= count)
		grown = count + 1;
	array = memory_grow(array, grown, bytes);
	if (grown * bytes >= HUGE_ROOM_MIN)
		memory_ask_huge_pages(array, grown * bytes);
	memset((char *)array + *capacity * bytes, 0, (grown - *capacity) * bytes);
	*capacity = grown;
	return array;
}

static char *text_store_take(struct text_store *store, size_t bytes)
{
	struct text_chunk *chunk = store->chunk;

	if (!chunk || chunk->size - chunk->used < bytes) {
		size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;

		chunk = memory_grow(NULL, sizeof(*chunk) + size, 1);
		chunk->next = store->chunk;
		chunk->used = 0;
		chunk->size = size;
		store->chunk = chunk;
	}
	chunk->used += bytes;
	return chunk->bytes + chunk->used - bytes;
}

char *text_store_put(struct text_store *store, const char *text, size_t length)
{
	char *copy = text_store_take(store, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *text_store_format(struct text_store *store, const char *format, ...)
{
	va_list arguments;
	int length;
	char *text;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		length = 0;
	text = text_store_take(store, (size_t)length + 1);
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	return text;
}

struct text_mark text_store_mark(const struct text_store *store)
{
	return (struct text_mark){ store->chunk, store->chunk ? store->chunk->used : 0 };
}

void text_store_rewind(struct text_store *store, struct text_mark mark)
{
	while (store->chunk != mark.chunk) {
		struct text_chunk *next = store->chunk->next;

		free(store->chunk);
		store->chunk = next;
	}
	if (mark.chunk)
		mark.chunk->used = mark.used;
}

void text_store_release(struct text_store *store)
{
	text_store_rewind(store, (struct text_mark){ NULL, 0 });
}
