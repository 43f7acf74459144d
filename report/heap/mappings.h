/* SPDX-License-Identifier: MIT */
/*
 * What processes have mapped beside the heap, over time: by who mapped it and what it is.
 *
 * Bytes are those of address space: how many of them hold memory only the kernel knows, so they are
 * a bound. What was mapped before recording began is not known, and its unmapping is nothing. A
 * forked child starts with nothing, as with the heap.
 *
 * Memory grows with mappings that live (intervals.h has the bound of a process) and with rows, at
 * most MAPPING_ROWS_MAX; what comes from more places than that is not known.
 */
#ifndef REPORT_HEAP_MAPPINGS_H
#define REPORT_HEAP_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/intervals.h"
#include "report/base/map.h"
#include "report/session/source.h"

#define MAPPING_ROWS_MAX 4096u

enum mapping_kind {
	MAPPING_PRIVATE,
	/* private, and as long as an arena of CPython: it is one if CPython mapped it */
	MAPPING_ARENA,
	MAPPING_SHARED,   /* with children */
	MAPPING_RESERVED, /* addresses only: no access */
	MAPPING_KINDS,
};

/* Of fields of event map_anonymous. */
enum mapping_kind mapping_kind_of(uint64_t bytes, uint64_t protection, uint64_t flags);

struct mapping_row {
	uint64_t caller;
	uint64_t last_ns; /* last mapping, to find the caller's module */
	uint64_t bytes;   /* mapped now */
	uint64_t peak_bytes;
	uint32_t process; /* index of the source */
	uint32_t next;    /* of that process: 1 + number of the row, 0 none */
	enum mapping_kind kind;
	bool is_known; /* whether it is Python's */
	bool is_python;
};

struct mapping_process {
	struct intervals intervals;       /* tags are rows */
	struct map row_of[MAPPING_KINDS]; /* caller + 1 to row + 1 */
	uint32_t first;                   /* row, as `next` */
	uint64_t bytes[MAPPING_KINDS],
		python_bytes; /* now; of MAPPING_ARENA those that are Python's */
};

struct mappings {
	struct mapping_row *row;
	size_t row_count, row_room;
	struct mapping_process **process; /* by index, NULL before its first mapping */
	size_t process_room;
	size_t unknown; /* rows of MAPPING_ARENA of which it is not known whose they are */
	uint64_t count; /* mappings made */
};

void mappings_init(struct mappings *mappings);
void mappings_release(struct mappings *mappings);

struct mapping {
	uint64_t time_ns, address, bytes, protection, flags, caller;
	uint32_t process;
};
void mappings_map(struct mappings *mappings, const struct mapping *mapping);
void mappings_unmap(struct mappings *mappings, uint32_t process, uint64_t address, uint64_t bytes);
struct mapping_move {
	uint64_t old_address, old_bytes, address, bytes;
	uint32_t process;
};
void mappings_move(struct mappings *mappings, const struct mapping_move *move);

/*
 * Mapped now in the process; NULL: nothing ever was. What is Python's is known as far as modules
 * are.
 */
const struct mapping_process *mappings_of(struct mappings *mappings, const struct source *source,
					  uint32_t process);

/*
 * Arenas of the Python that had most mapped for them, where most were: at most, as several places
 * that map arenas need not have been at their peak together. Known of the shortest programs too,
 * which the kernel's samples miss.
 */
uint64_t mappings_python_peak(struct mappings *mappings, const struct source *source);

/* Name of the file whose code mapped it, without folders; NULL when it is not known. */
const char *mapping_row_module(const struct mapping_row *row, const struct source *source,
			       size_t *ret_length);

#endif
