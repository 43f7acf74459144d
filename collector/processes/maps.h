/* SPDX-License-Identifier: MIT */
/*
 * /proc/PID/maps, read as a whole and split into mappings. Knows nothing of modules.
 */
#ifndef COLLECTOR_PROCESSES_MAPS_H
#define COLLECTOR_PROCESSES_MAPS_H

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
	bool inaccessible; /* may be neither read, written nor executed */
	const char *path;  /* in maps.bytes, terminated, "" when there is none */
};

/* A mapped file, as the maps name it. */
struct maps_file {
	uint64_t device, inode; /* inode 0: not known */
};

/* Of process `pid`, 0: of this one. False: no such process, no right, no /proc, no memory. */
bool maps_init(struct maps *maps, uint32_t pid);
void maps_release(struct maps *maps);

/* The next mapping; false at the end. Lines that cannot be read are passed over. */
bool maps_next(struct maps *maps, struct maps_line *ret_line);

/* What this process has mapped at `address`; inode 0 where /proc does not say. */
struct maps_file maps_file_at(const void *address);

/*
 * Whether the process maps the file: 1, 0 (another process, or after an exec), or -1 when its maps cannot
 * be read or, as it is ending, are empty.
 */
int maps_has_file(uint32_t pid, struct maps_file file);

#endif
