/* SPDX-License-Identifier: MIT */
/*
 * NVTX ranges: which are open, and what the closed ones took, by (domain, name) or by their path.
 *
 * Push/pop ranges nest per thread, over all domains together: self time is total minus the ranges
 * directly inside on the same thread. A pop closes the innermost open range of its domain, even when
 * ranges of other domains are open above it; what those still take is then no child's time of its own.
 * Start/end ranges belong to a process, have no parent, and their self time is their total.
 *
 * Names are indices that the caller gives (see struct source_name); the same text of two files has two
 * indices, so rows are joined by text when they are shown. Memory grows with rows and open ranges.
 */
#ifndef REPORT_RANGES_H
#define REPORT_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/map.h"
#include "report/timing.h"

#define RANGE_NONE UINT32_MAX

/* What a thread (or process) has done so far; a range's own share is the difference over its life. */
#define RANGE_WORK(FIELD)      \
	FIELD(allocations)     \
	FIELD(bytes_allocated) \
	FIELD(tensor_bytes)    \
	FIELD(operators)       \
	FIELD(cuda_calls) FIELD(cuda_ns) FIELD(launches) FIELD(memcpy_bytes) FIELD(device_bytes)
struct range_work {
#define FIELD(name) uint64_t name;
	RANGE_WORK(FIELD)
#undef FIELD
};
void range_work_add(struct range_work *into, const struct range_work *more);

struct range_row {
	uint32_t parent; /* row, RANGE_NONE at the top and when not a tree */
	uint32_t domain, name;
	uint32_t depth;
	uint64_t count; /* opened; time.count of them were closed */
	uint64_t open;  /* never closed by the program */
	uint64_t self_ns;
	struct timing time;
	struct range_work work;
};

/* One open range; in a list per thread, from the innermost outwards. */
struct range_open {
	uint64_t start_ns, charged_ns, children_ns;
	struct range_work work;
	uint32_t row; /* RANGE_NONE: it does not count */
	uint32_t domain, name;
	uint32_t above, below; /* the ranges inside and around it */
	uint32_t outer;        /* the next one outwards of its domain */
};

/* What is open on a thread, and for how long anything was. */
struct range_thread {
	uint32_t top; /* innermost open range, RANGE_NONE */
	uint64_t since_ns, covered_ns;
};

struct ranges {
	bool by_path;
	struct range_row *row;
	size_t row_count, row_room;
	struct map pairs; /* domain << 32 | name, + 1, to number of the pair + 1 */
	struct map rows;  /* parent row + 2 << 32 | pair to row */
	struct range_open *open;
	size_t open_count, open_room;
	uint32_t unused;             /* list of free entries of `open`, by their `below` */
	struct range_thread *thread; /* by index */
	size_t thread_room;
	struct map domain_top; /* thread + 1 << 32 | domain to its innermost range */
	struct map started;    /* process + 1 << 32 | number of the range (mixed) to open range */
	uint64_t unbalanced;   /* pops and ends of no open range */
	uint64_t marks;
};

void ranges_init(struct ranges *ranges, bool by_path);
void ranges_release(struct ranges *ranges);

/* A range that opens. `counts`: the filters hold. */
struct range_opening {
	uint64_t time_ns;
	uint32_t owner; /* index of the thread, for start/end of the process */
	uint32_t domain, name;
	uint64_t number; /* start/end only */
	struct range_work work;
	bool counts;
};
void ranges_push(struct ranges *ranges, const struct range_opening *opening);
void ranges_start(struct ranges *ranges, const struct range_opening *opening);

struct range_closing {
	uint64_t time_ns;
	uint32_t owner, domain;
	uint64_t number;
	struct range_work work;
};
void ranges_pop(struct ranges *ranges, const struct range_closing *closing);
void ranges_end(struct ranges *ranges, const struct range_closing *closing);

/* What is still open: `ended` at `time_ns`, or running on, then it adds no time. */
void ranges_finish_thread(struct ranges *ranges, uint32_t thread, uint64_t time_ns,
			  struct range_work work, bool ended);
/* The process's start/end ranges. */
void ranges_finish_process(struct ranges *ranges, uint32_t process, uint64_t time_ns,
			   struct range_work work, bool ended);

/* Domain and name of the innermost push/pop range that is open on the thread; false when there is none. */
bool ranges_innermost(const struct ranges *ranges, uint32_t thread, uint32_t *ret_domain,
		      uint32_t *ret_name);

/* How long at least one push/pop range was open on the thread, each moment once. */
uint64_t ranges_covered_ns(const struct ranges *ranges, uint32_t thread);

/* Adds the counters of `from`, for rows of the same text. */
void range_row_merge(struct range_row *into, const struct range_row *from);

#endif
