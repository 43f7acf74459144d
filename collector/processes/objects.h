/* SPDX-License-Identifier: MIT */
/*
 * The loaded objects among the mappings of a process: which mappings are one file as ld.so or the kernel has loaded it, and
 * where. Knows nothing of what was there before.
 *
 * The program headers of the file tell. Its offset alone does not: linkers put two segments into one page of the file (lld
 * and mold do with the text), and that page is mapped twice.
 */
#ifndef COLLECTOR_PROCESSES_OBJECTS_H
#define COLLECTOR_PROCESSES_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/processes/images.h"
#include "collector/processes/maps.h"

#define OBJECTS_VDSO "[vdso]" /* the kernel's library: in the maps, and in recordings */

struct object {
	uint64_t start, end;
	uint64_t device, inode;
	uint64_t
		bias; /* its addresses in the process less those in the file, if its image is known */
	uint32_t image;   /* number of images.h */
	bool file;        /* else anonymous code */
	const char *path; /* in the maps */
};

struct objects {
	struct object *object; /* with code in them, sorted by start, disjoint */
	uint32_t count, room;
	uint32_t left_out; /* files that found no room */
	bool has_region;   /* the wanted one is mapped, too */
};

/* What an earlier reading knows of the file that is mapped at `start`; IMAGES_NONE: nothing. */
typedef uint32_t objects_recall(const void *context, const struct maps_line *line);

struct objects_reading {
	struct images *images;
	uint32_t pid;
	struct maps_file region; /* inode 0: none is wanted */
	objects_recall *recall;
	const void *context;
};

/* All there are in `maps`, which has to live as long as their paths are used. */
struct objects objects_of_maps(struct maps *maps, const struct objects_reading *reading,
			       uint32_t limit);
void objects_release(struct objects *objects);

#endif
