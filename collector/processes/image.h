/* SPDX-License-Identifier: MIT */
/*
 * What a mapped ELF file says about itself: build-id and lowest virtual address. Read with bounded
 * pread()s, so that a file that shrinks meanwhile does no harm. Not a symbol reader.
 */
#ifndef COLLECTOR_PROCESSES_IMAGE_H
#define COLLECTOR_PROCESSES_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define IMAGE_BUILD_ID_BYTES 64u

struct image {
	uint64_t lowest;         /* virtual address of the lowest PT_LOAD, down to a page */
	uint32_t build_id_bytes; /* 0: none */
	uint8_t build_id[IMAGE_BUILD_ID_BYTES];
	bool has_allocator; /* linked_allocator.h */
};

/* False when the file is not there, not the one of that inode, or not a 64-bit ELF. */
bool image_read(const char *path, ino_t inode, struct image *ret_image);

/* The vDSO's, which the kernel maps into every process of this machine alike. False: there is none. */
bool image_of_vdso(struct image *ret_image);

#endif
