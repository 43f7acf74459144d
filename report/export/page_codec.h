/* SPDX-License-Identifier: MIT */
/*
 * Pages of a Parquet file, compressed with zstd: one frame each. Running out of memory ends the
 * program. One thread.
 */
#ifndef REPORT_EXPORT_PAGE_CODEC_H
#define REPORT_EXPORT_PAGE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty. */
struct page_codec {
	void *context; /* zstd's */
	uint8_t *byte; /* the result, valid until the next call */
	size_t length, room;
};

/* `is_texts`: a dictionary, which is short and worth more time. */
void page_codec_run(struct page_codec *codec, const uint8_t *bytes, size_t length, bool is_texts);
void page_codec_release(struct page_codec *codec);

#endif
