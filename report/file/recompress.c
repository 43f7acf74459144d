/* SPDX-License-Identifier: MIT */
/* Uses the collector's compression level (collector/output/compress.c). */
#include "report/file/recompress.h"

#include <stdlib.h>
#include <zstd.h>

#define LEVEL 1

uint8_t *recompress(const uint8_t *bytes, size_t length, size_t *ret_length)
{
	size_t room = ZSTD_compressBound(length), done = 0;
	ZSTD_CCtx *context = ZSTD_createCCtx();
	uint8_t *result = malloc(room);

	if (context && result) {
		ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
		done = ZSTD_compress2(context, result, room, bytes, length);
	}
	ZSTD_freeCCtx(context);
	if (!done || ZSTD_isError(done)) {
		free(result);
		return NULL;
	}
	*ret_length = done;
	return result;
}
