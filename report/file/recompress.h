/* SPDX-License-Identifier: MIT */
/*
 * zstd for what prof-report writes: frames of recordings, with checksum and content size as the
 * format requires. One thread.
 */
#ifndef REPORT_FILE_RECOMPRESS_H
#define REPORT_FILE_RECOMPRESS_H

#include <stddef.h>
#include <stdint.h>

/* Makes one zstd frame of these bytes, owned by the caller; NULL without memory. */
uint8_t *recompress(const uint8_t *bytes, size_t length, size_t *ret_length);

#endif
