/* SPDX-License-Identifier: MIT */
/*
 * The loaded objects among the mappings of a process: which mappings are one file as ld.so or the
 * kernel has loaded it, and where. Knows nothing of earlier states.
 *
 * The program headers of the file decide. The offset in the file does not suffice: linkers put two
 * segments into one page of the file (lld and mold do so with the text), and that page is mapped
 * twice.
 */
#ifndef COLLECTOR_PROCESSES_OBJECTS_H
#define COLLECTOR_PROCESSES_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/processes/images.h"
#include "collector/processes/maps.h"

#define OBJECTS_VDSO "[vdso]" /* the kernel's library, by its name in the maps and in recordings */

struct object {
	uint64_t start, end;
	uint64_t device, inode;
	uint64_t bias; /* address in the process minus address in the file, if its image is known */
	uint32_t image;   /* number of images.h */
	bool file;        /* false: anonymous code */
	const char *path; /* in the maps */
};

struct objects {
	struct object *object; /* objects with code, sorted by start, disjoint */
	uint32_t count, room;
	uint32_t left_out; /* files for which there was no room */
	bool has_region;   /* the requested file is mapped, too */
};

/*
 * Returns what an earlier reading knows of the file that is mapped at `start`; IMAGES_NONE:
 * nothing.
 */
typedef uint32_t objects_recall(const void *context, const struct maps_line *line);

struct objects_reading {
	struct images *images;
	uint32_t pid;
	struct maps_file region; /* inode 0: not requested */
	objects_recall *recall;
	const void *context;
};

/* Finds all objects in `maps`, which must live as long as their paths are used. */
struct objects objects_of_maps(struct maps *maps, const struct objects_reading *reading,
			       uint32_t limit);
void objects_release(struct objects *objects);

#endif
