/* SPDX-License-Identifier: MIT */
/*
 * What threads waited for: locks, children, descriptors, each with a number. A lock is its address
 * in its process; a descriptor is what the last event said of it (docs/FORMAT.md), whatever its
 * number. After a loss of events the descriptors of the process are unknown.
 *
 * Memory grows with distinct objects and descriptors. To be used by one thread.
 */
#ifndef REPORT_OSRT_WAIT_OBJECTS_H
#define REPORT_OSRT_WAIT_OBJECTS_H

#include <stdint.h>

#include "report/base/map.h"
#include "report/session/source.h"

enum wait_object_kind {
#define WAIT_OBJECT(name, word, form) WAIT_OBJECT_##name,
#include "collector/format/wait_objects.def"
	WAIT_OBJECT_LIMIT,
};

/* "mutex"; "" for none and for what this version does not know. */
const char *wait_object_word(uint64_t kind);

struct wait_object {
	uint32_t process;
	uint32_t kind;  /* enum wait_object_kind */
	uint64_t value; /* address, pid or number of the descriptor */
	uint32_t name;  /* what the descriptor is, an index of the source; UINT32_MAX: unknown */
};

struct wait_descriptor {
	uint64_t kind; /* enum wait_object_kind */
	uint32_t name;
	uint64_t epoch;
};

struct wait_objects {
	struct wait_object *object; /* number 1 is the first; 0: none */
	size_t count, room;
	struct map index;
	struct wait_descriptor *descriptor;
	size_t descriptors, descriptors_room;
	struct map descriptor_index; /* by process and number */
	uint64_t *epoch;             /* by process */
	size_t epochs_room;
};

void wait_objects_init(struct wait_objects *objects);
void wait_objects_release(struct wait_objects *objects);

/* The descriptor is something else from now on. `kind`: enum wait_object_kind. */
void wait_objects_open(struct wait_objects *objects, uint32_t process, uint64_t fd, uint64_t kind,
		       uint32_t name);
/* Returns what is known of it; NULL: nothing. */
const struct wait_descriptor *wait_objects_descriptor(const struct wait_objects *objects,
						      uint32_t process, uint64_t fd);
/* Returns the object's number; 0: it is none. */
uint32_t wait_objects_of(struct wait_objects *objects, uint32_t process, uint64_t kind,
			 uint64_t value);
/* Events of the process were lost. */
void wait_objects_forget(struct wait_objects *objects, uint32_t process);

#define WAIT_OBJECT_BYTES 64u
/* What people call it. `room` is used if it has no name of its own. */
const char *wait_object_text(const struct wait_objects *objects, const struct source *source,
			     uint32_t number, char room[WAIT_OBJECT_BYTES], size_t *ret_length);

#endif
