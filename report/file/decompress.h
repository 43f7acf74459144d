/* SPDX-License-Identifier: MIT */
/*
 * zstd for prof-report: whole frames, verified checksums, never more than FRAME_BYTES_MAX. No other
 * part of report/ decompresses with zstd. One thread. Errors: enum evt_error.
 */
#ifndef REPORT_FILE_DECOMPRESS_H
#define REPORT_FILE_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZSTD_FRAME_MAGIC 0xFD2FB528u
#define SKIPPABLE_MAGIC 0x184D2A50u /* the last four bits are free */

struct decompressor {
	struct ZSTD_DCtx_s *context;
	bool shares;    /* the context belongs to another one */
	uint8_t *bytes; /* the last result */
	size_t room;
};

int decompressor_init(struct decompressor *d);
void decompressor_release(struct decompressor *d);
/*
 * Uses the context of another decompressor, which must outlive it, from now on. Results remain its
 * own.
 */
void decompressor_share(struct decompressor *d, const struct decompressor *with);

static inline bool magic_is_skippable(uint32_t magic)
{
	return (magic & 0xfffffff0u) == SKIPPABLE_MAGIC;
}

/* The longest zstd frame that a writer can have written. */
size_t frame_compressed_max(void);

/*
 * Length of the zstd frame at `bytes`. EVT_TRUNCATED: more than `length` bytes are needed, or
 * damage makes it seem so. EVT_CORRUPT: this is no frame. EVT_TOO_LARGE: it would decompress to
 * more than FRAME_BYTES_MAX, or does not say to how much.
 */
int frame_compressed_length(const uint8_t *bytes, size_t length, size_t *ret_length);

/* The frame's content; valid until the next call. EVT_CHECKSUM, EVT_CORRUPT, EVT_NO_MEMORY. */
int decompressor_run(struct decompressor *d, const uint8_t *bytes, size_t length,
		     const uint8_t **ret_bytes, size_t *ret_length);

#endif
