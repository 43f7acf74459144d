/* SPDX-License-Identifier: MIT */
/*
 * A moving view of a recording's bytes: read ahead in large pieces, bounded by what the caller
 * requests at once. Knows nothing of frames.
 */
#ifndef REPORT_FILE_WINDOW_H
#define REPORT_FILE_WINDOW_H

#include "report/file/bytes.h"

struct window {
	const struct bytes *bytes; /* borrowed */
	uint8_t *buffer;
	size_t room, length;
	uint64_t offset; /* offset of buffer[0] in the file */
	int error;       /* EVT_IO, EVT_NO_MEMORY; sticky: the file then seems to end there */
};

void window_init(struct window *window, const struct bytes *bytes);
void window_release(struct window *window);

/*
 * Returns the bytes at `offset`: at least `wanted`, fewer only at the end of the file. The pointer
 * is valid until the next call. NULL if there are none.
 */
const uint8_t *window_at(struct window *window, uint64_t offset, size_t wanted, size_t *ret_length);

#endif
