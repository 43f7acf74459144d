/* SPDX-License-Identifier: MIT */
/*
 * The words of cudart_copies.def and cuda_copies.def. Where memory is moved it is really moved: a
 * program over the fake may look at what it copied.
 */
#ifndef TESTS_FAKE_COPIES_H
#define TESTS_FAKE_COPIES_H

#include <string.h>

#include "tests/fake/entry.h"

#define AT(address) ((void *)(uintptr_t)(address))
#define MOVE(kind, to, from, bytes) fake_rows_copy(kind, to, bytes, from, bytes, bytes, 1)
#define ROWS(kind, to, to_pitch, from, from_pitch, width, height) \
	fake_rows_copy(kind, to, to_pitch, from, from_pitch, width, height)
#define FILL(to, pitch, value, element, width, height) \
	fake_rows_fill(to, pitch, value, element, width, height)
#define COUNT(kind, bytes) fake_copied((unsigned int)(kind), bytes)
#define COPY(name, parameters, what)                                                          \
	int do_##name parameters                                                              \
	{                                                                                     \
		fake_thread.copy_stream = (uintptr_t)stream > 2 ? (CUstream)stream : hStream; \
		return what;                                                                  \
	}

/* What a function without such a parameter finds. */
static const CUstream stream, hStream;
#pragma GCC diagnostic ignored "-Wshadow"

static inline size_t fake_sum(const size_t *sizes, size_t count)
{
	size_t sum = 0;

	while (count--)
		sum += sizes[count];
	return sum;
}

static inline size_t fake_volume(struct cudaExtent extent)
{
	return extent.width * extent.height * extent.depth;
}

/* Of CUmemorytype; an address that can be either makes the direction unknown. */
static inline unsigned int fake_direction(int from, int to)
{
	bool from_host = from == CUDA_MEMORY_HOST, to_host = to == CUDA_MEMORY_HOST;

	if (from == CUDA_MEMORY_UNIFIED || to == CUDA_MEMORY_UNIFIED)
		return EVT_CUDA_COPY_DEFAULT;
	if (from_host)
		return to_host ? EVT_CUDA_COPY_HTOH : EVT_CUDA_COPY_HTOD;
	return to_host ? EVT_CUDA_COPY_DTOH : EVT_CUDA_COPY_DTOD;
}

static inline int fake_rows_copy(unsigned int kind, void *to, size_t to_pitch, const void *from,
				 size_t from_pitch, size_t width, size_t height)
{
	size_t row;

	if (kind > EVT_CUDA_COPY_DEFAULT)
		return FAKE_BAD_DIRECTION;
	fake_thread.copy_is_pinned = (kind == EVT_CUDA_COPY_HTOD && fake_is_pinned(from)) ||
				     (kind == EVT_CUDA_COPY_DTOH && fake_is_pinned(to));
	for (row = 0; row < height && width; row++)
		memmove((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
	return fake_copied(kind, width * height);
}

static inline int fake_rows_fill(void *to, size_t pitch, unsigned int value, size_t element,
				 size_t width, size_t height)
{
	size_t row, i;

	for (row = 0; row < height; row++) {
		char *at = (char *)to + row * pitch;

		for (i = 0; i < width; i++)
			memcpy(at + i * element, &value, element);
	}
	return fake_copied(EVT_CUDA_COPY_MEMSET, element * width * height);
}

#endif
