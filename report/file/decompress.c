/* SPDX-License-Identifier: MIT */
/*
 * The length of the result is taken from the frame's header and checked against FRAME_BYTES_MAX
 * before memory is allocated. A frame without a checksum is not one of ours.
 */
#include "report/file/decompress.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "collector/format/block.h"
#include "collector/format/error.h"

#define CUT_ROOM (64u << 10) /* what flushes at a frame's cuts may add */
#define ROOM_MIN (512u << 10)
#define CHECKSUM_FLAG 0x04 /* bit of the frame header descriptor, the byte after the magic */

int decompressor_init(struct decompressor *d)
{
	*d = (struct decompressor){ .context = ZSTD_createDCtx() };
	return d->context ? EVT_OK : EVT_NO_MEMORY;
}

void decompressor_share(struct decompressor *d, const struct decompressor *with)
{
	if (!d->shares)
		ZSTD_freeDCtx(d->context);
	d->context = with->context;
	d->shares = true;
}

void decompressor_release(struct decompressor *d)
{
	if (!d->shares)
		ZSTD_freeDCtx(d->context);
	free(d->bytes);
	*d = (struct decompressor){ 0 };
}

size_t frame_compressed_max(void)
{
	return ZSTD_compressBound(FRAME_BYTES_MAX) + CUT_ROOM;
}

int frame_compressed_length(const uint8_t *bytes, size_t length, size_t *ret_length)
{
	unsigned long long content = ZSTD_getFrameContentSize(bytes, length);
	size_t found = ZSTD_findFrameCompressedSize(bytes, length);

	if (ZSTD_isError(found))
		return ZSTD_getErrorCode(found) == ZSTD_error_srcSize_wrong ? EVT_TRUNCATED
									    : EVT_CORRUPT;
	if (content == ZSTD_CONTENTSIZE_ERROR || !(bytes[4] & CHECKSUM_FLAG))
		return EVT_CORRUPT;
	if (content == ZSTD_CONTENTSIZE_UNKNOWN || content > FRAME_BYTES_MAX)
		return EVT_TOO_LARGE;
	*ret_length = found;
	return EVT_OK;
}

static int decompressor_reserve(struct decompressor *d, size_t wanted)
{
	uint8_t *bytes;

	if (wanted <= d->room)
		return EVT_OK;
	if (wanted < ROOM_MIN)
		wanted = ROOM_MIN;
	bytes = malloc(wanted);
	if (!bytes)
		return EVT_NO_MEMORY;
	free(d->bytes);
	d->bytes = bytes;
	d->room = wanted;
	return EVT_OK;
}

int decompressor_run(struct decompressor *d, const uint8_t *bytes, size_t length,
		     const uint8_t **ret_bytes, size_t *ret_length)
{
	unsigned long long content = ZSTD_getFrameContentSize(bytes, length);
	size_t done;
	int error;

	if (content > FRAME_BYTES_MAX) /* both error values are above it, too */
		return EVT_TOO_LARGE;
	error = decompressor_reserve(d, (size_t)content);
	if (error)
		return error;
	done = ZSTD_decompressDCtx(d->context, d->bytes, (size_t)content, bytes, length);
	if (ZSTD_isError(done)) {
		switch (ZSTD_getErrorCode(done)) {
		case ZSTD_error_checksum_wrong:
			return EVT_CHECKSUM;
		case ZSTD_error_memory_allocation:
			return EVT_NO_MEMORY;
		default:
			return EVT_CORRUPT;
		}
	}
	*ret_bytes = d->bytes;
	*ret_length = done;
	return EVT_OK;
}
