/* SPDX-License-Identifier: MIT */
/* One buffer: what is still wanted is moved to its front, and one read fills the rest. */
#include "report/file/window.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"

#define WINDOW_BYTES (1u << 20) /* several frames at once; small compared with a decoded frame */

void window_init(struct window *window, const struct bytes *bytes)
{
	*window = (struct window){ .bytes = bytes };
}

void window_release(struct window *window)
{
	free(window->buffer);
	*window = (struct window){ 0 };
}

static int window_reserve(struct window *window, size_t wanted)
{
	size_t room = wanted < WINDOW_BYTES ? WINDOW_BYTES : wanted;
	uint8_t *buffer;

	/* Bytes that are appended after opening are read only by a later opening. */
	if (room > window->bytes->size)
		room = (size_t)window->bytes->size + 1;
	if (room <= window->room)
		return EVT_OK;
	buffer = realloc(window->buffer, room);
	if (!buffer)
		return EVT_NO_MEMORY;
	window->buffer = buffer;
	window->room = room;
	return EVT_OK;
}

/* Makes buffer[0] the byte at `offset`, keeping what is already there. */
static void window_move(struct window *window, uint64_t offset)
{
	size_t passed;

	if (offset < window->offset || offset - window->offset >= window->length) {
		window->length = 0;
	} else {
		passed = (size_t)(offset - window->offset);
		window->length -= passed;
		memmove(window->buffer, window->buffer + passed, window->length);
	}
	window->offset = offset;
}

static void window_fill(struct window *window, uint64_t offset, size_t wanted)
{
	int64_t n;

	window->error = window_reserve(window, wanted);
	if (window->error)
		return;
	window_move(window, offset);
	n = bytes_read(window->bytes, offset + window->length, window->buffer + window->length,
		       window->room - window->length);
	if (n < 0)
		window->error = (int)n;
	else
		window->length += (size_t)n;
}

const uint8_t *window_at(struct window *window, uint64_t offset, size_t wanted, size_t *ret_length)
{
	uint64_t end = window->offset + window->length;

	if ((offset < window->offset || offset > end || end - offset < wanted) && !window->error)
		window_fill(window, offset, wanted);
	end = window->offset + window->length;
	if (offset < window->offset || offset >= end) {
		*ret_length = 0;
		return NULL;
	}
	*ret_length = (size_t)(end - offset);
	return window->buffer + (offset - window->offset);
}
