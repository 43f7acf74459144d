/* SPDX-License-Identifier: MIT */
/*
 * What a mapped ELF file says about itself: its build-id and its loadable segments. Read with bounded
 * pread()s, so that a file that shrinks meanwhile does no harm. Not a symbol reader.
 */
#ifndef COLLECTOR_PROCESSES_IMAGE_H
#define COLLECTOR_PROCESSES_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/processes/linked_allocator.h"

#define IMAGE_BUILD_ID_BYTES 64u
#define IMAGE_SEGMENTS 12u /* linkers make 2 to 6, patchelf adds one each time */
#define IMAGE_PAGE_MASK 4095ull

/* A PT_LOAD. The numbers are the file's own and may be anything: compare differences only. */
struct image_segment {
	uint64_t offset, address, bytes; /* in the file; virtual address and length in memory */
	bool code;
};

struct image {
	uint64_t lowest;         /* virtual address of the lowest PT_LOAD, down to a page */
	uint32_t build_id_bytes; /* 0: none */
	uint8_t build_id[IMAGE_BUILD_ID_BYTES];
	enum linked_allocator allocator; /* that it uses beside malloc() */
	uint32_t segments;
	bool has_more_segments; /* than are kept */
	struct image_segment segment[IMAGE_SEGMENTS];
};

/* False when the file is not there, not the one of that inode, or not a 64-bit ELF. */
bool image_read(const char *path, ino_t inode, struct image *ret_image);

/*
 * The segment that a mapping of the file is of: `offset` into the file, `code` if it is executable. With `bias` the mapping
 * begins at `start`, and its address has to be right, too. NULL: none.
 */
const struct image_segment *image_segment_of(const struct image *image, uint64_t offset, bool code);
const struct image_segment *image_segment_at(const struct image *image, uint64_t bias,
					     uint64_t start, uint64_t offset);

/* The vDSO's, which the kernel maps into every process of this machine alike. False: there is none. */
bool image_of_vdso(struct image *ret_image);

#endif
