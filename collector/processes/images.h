/* SPDX-License-Identifier: MIT */
/*
 * What is known of mapped files (image.h), in one cache for all processes, so that each file is
 * read once, also for forked children and further readings of the maps. The key is device, inode
 * and times. One thread.
 */
#ifndef COLLECTOR_PROCESSES_IMAGES_H
#define COLLECTOR_PROCESSES_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/processes/image.h"

#define IMAGES_NONE 0u

struct images {
	struct images_file {
		uint64_t device, inode;
		int64_t changed_s, changed_ns;
		struct image image;
		bool known;
	} * file;
	uint32_t count;
	uint32_t room;
};

/*
 * Returns the number of the file that process `pid` has mapped as `path`. IMAGES_NONE: it cannot be
 * read, or is no 64-bit ELF.
 */
uint32_t images_find(struct images *images, uint32_t pid, const char *path, uint64_t inode);

/* NULL for IMAGES_NONE. Valid until the next images_find(). */
const struct image *images_image(const struct images *images, uint32_t number);

void images_release(struct images *images);

#endif
