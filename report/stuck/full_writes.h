/* SPDX-License-Identifier: MIT */
/*
 * Writes that fail because there is no room: of each process the last file of which that is so,
 * how often since the last write to it that succeeded, and from when to when. Needs family io.
 *
 * Times are ns of the source. Memory grows with processes and descriptors. To be used by one
 * thread.
 */
#ifndef REPORT_STUCK_FULL_WRITES_H
#define REPORT_STUCK_FULL_WRITES_H

#include "report/core/analysis.h"
#include "report/osrt/wait_objects.h"

struct full_write {
	uint64_t count; /* 0: no write fails */
	uint64_t error; /* errno of the last */
	uint64_t first_ns, last_ns;
	uint32_t file; /* index of its name; UINT32_MAX: not known */
};

struct full_writes {
	struct source *source;
	struct wait_objects objects; /* what descriptors are */
	struct full_write *process;  /* by index */
	size_t process_count, process_room;
};

struct full_writes_options {
	uint64_t unused;
};

ANALYSIS(full_writes, struct full_writes)

/* Returns NULL if no write of the process fails. */
const struct full_write *full_write_of(const struct full_writes *writes, uint32_t process);
/* "the disk is full"; NULL: that error says nothing of room. */
const char *full_write_words(uint64_t error);

#endif
