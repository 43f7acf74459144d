/* SPDX-License-Identifier: MIT */
/*
 * /proc/PID/maps, read as a whole and split into mappings. Knows nothing of modules.
 */
#ifndef COLLECTOR_MAPS_H
#define COLLECTOR_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAPS_BYTES_MAX (16u << 20)

struct maps {
	char *bytes;
	size_t length;
	size_t at; /* of the next line */
};

struct maps_line {
	uint64_t start, end;
	uint64_t offset;
	uint64_t device, inode;
	bool executable;
	const char *path; /* in maps.bytes, terminated, "" when there is none */
};

/* False: no such process, no right, no /proc, no memory. */
bool maps_init(struct maps *maps, uint32_t pid);
void maps_release(struct maps *maps);

/* The next mapping; false at the end. Lines that cannot be read are passed over. */
bool maps_next(struct maps *maps, struct maps_line *ret_line);

#endif
