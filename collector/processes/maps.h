/* SPDX-License-Identifier: MIT */
/* /proc/PID/maps, read as a whole and split into mappings. Knows nothing of modules. */
#ifndef COLLECTOR_PROCESSES_MAPS_H
#define COLLECTOR_PROCESSES_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAPS_BYTES_MAX (16u << 20)

struct maps {
	char *bytes;
	size_t length;
	size_t at; /* start of the next line */
};

struct maps_line {
	uint64_t start, end;
	uint64_t offset;
	uint64_t device, inode;
	bool executable;
	bool inaccessible; /* not readable, writable or executable */
	const char *path;  /* in maps.bytes, terminated; "" if there is none */
};

/* A mapped file, as the maps identify it. */
struct maps_file {
	uint64_t device, inode; /* inode 0: not known */
};

/*
 * Reads the maps of process `pid`, 0: of this one. Returns false if there is no such process, no
 * permission, no /proc or no memory.
 */
bool maps_init(struct maps *maps, uint32_t pid);
void maps_release(struct maps *maps);

/* Returns the next mapping; false at the end. Invalid lines are skipped. */
bool maps_next(struct maps *maps, struct maps_line *ret_line);

/* Returns the file that this process has mapped at `address`; inode 0 if /proc does not say. */
struct maps_file maps_file_at(const void *address);

/*
 * Returns whether the process maps the file: 1, or 0 (another process, or after an exec). -1 if its
 * maps cannot be read, or are empty because the process is ending.
 */
int maps_has_file(uint32_t pid, struct maps_file file);

#endif
