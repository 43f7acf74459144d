/* SPDX-License-Identifier: MIT */
/* Compresses the pages of a Parquet file with zstd. */
#include "report/export/page_codec.h"

#include <stdlib.h>
#include <zstd.h>

#include "report/base/memory.h"

#define LEVEL 1        /* three times as fast as 3, and 5 % larger */
#define LEVEL_TEXTS 12 /* short, and full of repetitions: a quarter smaller */

void page_codec_run(struct page_codec *codec, const uint8_t *bytes, size_t length, bool is_texts)
{
	size_t bound = ZSTD_compressBound(length);

	if (!codec->context)
		codec->context = ZSTD_createCCtx();
	if (bound > codec->room) {
		codec->byte = memory_grow(codec->byte, bound, 1);
		codec->room = bound;
	}
	codec->length = codec->context
				? ZSTD_compressCCtx(codec->context, codec->byte, codec->room, bytes,
						    length, is_texts ? LEVEL_TEXTS : LEVEL)
				: SIZE_MAX;
	if (ZSTD_isError(codec->length))
		/* only for lack of memory: the room is never too small */
		memory_grow(NULL, SIZE_MAX, 1);
}

void page_codec_release(struct page_codec *codec)
{
	ZSTD_freeCCtx(codec->context);
	free(codec->byte);
	*codec = (struct page_codec){ 0 };
}
