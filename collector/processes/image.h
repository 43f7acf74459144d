/* SPDX-License-Identifier: MIT */
/*
 * What a mapped ELF file says about itself: its build-id and its loadable segments. Read with
 * bounded pread()s, so that a file that shrinks meanwhile does no harm. Does not read symbols.
 */
#ifndef COLLECTOR_PROCESSES_IMAGE_H
#define COLLECTOR_PROCESSES_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/processes/linked_allocator.h"

#define IMAGE_BUILD_ID_BYTES 64u
#define IMAGE_SEGMENTS 12u /* linkers make 2 to 6; patchelf adds one each time */
#define IMAGE_PAGE_MASK 4095ull

/* A PT_LOAD. The numbers are the file's own and may be anything, so only compare differences. */
struct image_segment {
	uint64_t offset, address, bytes; /* in the file; virtual address and length in memory */
	bool code;
};

struct image {
	uint64_t lowest;         /* virtual address of the lowest PT_LOAD, rounded down to a page */
	uint32_t build_id_bytes; /* 0: none */
	uint8_t build_id[IMAGE_BUILD_ID_BYTES];
	enum linked_allocator allocator; /* an allocator that it uses besides malloc() */
	uint32_t segments;
	bool has_more_segments; /* more segments than are kept */
	struct image_segment segment[IMAGE_SEGMENTS];
};

/* Returns false if the file does not exist, has another inode, or is no 64-bit ELF. */
bool image_read(const char *path, ino_t inode, struct image *ret_image);

/*
 * Returns the segment that a mapping of the file belongs to: `offset` in the file, `code` if it is
 * executable. With `bias`, the mapping begins at `start`, and its address must match too. NULL:
 * none.
 */
const struct image_segment *image_segment_of(const struct image *image, uint64_t offset, bool code);
const struct image_segment *image_segment_at(const struct image *image, uint64_t bias,
					     uint64_t start, uint64_t offset);

/*
 * Reads the vDSO's image, which the kernel maps alike into every process of this machine. False:
 * there is none.
 */
bool image_of_vdso(struct image *ret_image);

#endif
