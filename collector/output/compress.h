/* SPDX-License-Identifier: MIT */
/*
 * zstd for the collector: whole frames, with checksum and content size. No other file of the
 * collector uses zstd. One thread. Errors: enum evt_error.
 */
#ifndef COLLECTOR_OUTPUT_COMPRESS_H
#define COLLECTOR_OUTPUT_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "collector/format/block.h"

struct compressor {
	struct ZSTD_CCtx_s *context;
	uint8_t *bytes; /* the last result */
	size_t room;
};

int compressor_init(struct compressor *c);
void compressor_release(struct compressor *c);

/* Makes one zstd frame of the image. The bytes are valid until the next call. */
int compressor_run(struct compressor *c, const struct frame_image *image, const uint8_t **ret_bytes,
		   size_t *ret_length);

#endif
