/* SPDX-License-Identifier: MIT */
/*
 * Ranges that have names: which are open, and the time and work of the closed ones, by (domain,
 * name) or by their path. They are those of NVTX, and calls of modules.
 *
 * Push/pop ranges nest per thread, over all domains together: self time is the total minus the
 * ranges directly inside on the same thread. A pop closes the innermost open range of its domain,
 * even if ranges of other domains are open above it; the further time of those is then not
 * subtracted from any self time. Start/end ranges belong to a process and have no parent; their
 * self time is their total.
 *
 * Ranges that are open where events were lost, or where recording stopped, end there and count in
 * `open`.
 *
 * Names are indices that the caller assigns (see struct source_name). Memory grows with rows and
 * open ranges.
 */
#ifndef REPORT_RANGES_RANGES_H
#define REPORT_RANGES_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/cpu_clock.h"
#include "report/base/map.h"
#include "report/base/timing.h"
#include "report/scopes/cover.h"
#include "report/deferred/deferred_scopes.h"
#include "report/scopes/nest.h"
#include "report/core/work.h"

#define RANGE_NONE UINT32_MAX

/* Deferred work (deferred/deferred.h) of a row. */
struct range_gpu {
	/* for each range with such work: from the begin of its first work to the end of its last */
	struct timing projected;
	uint64_t self_ns; /* of work that was launched in no range directly inside */
};

struct range_row {
	uint32_t parent; /* row; RANGE_NONE: at the top, or rows are no tree */
	uint32_t domain, name;
	uint32_t depth;
	uint64_t count; /* opened; time.count of them were closed */
	uint64_t open;  /* never closed by the program */
	uint64_t self_ns;
	struct timing time;
	struct work work;
	struct cpu_span cpu;   /* of their own threads; push/pop ranges only */
	struct range_gpu *gpu; /* NULL: no deferred work was launched in it */
};

/* What is kept for an open range: parallel to the nest, and for start/end ranges. */
struct range_open {
	struct work work;          /* at its begin */
	struct cpu_moment began;   /* not known for start/end ranges */
	uint64_t start_ns, number; /* of start/end ranges */
	uint32_t row;              /* RANGE_NONE: it does not count */
	uint32_t domain, name;
	uint32_t process;
	uint32_t next; /* of start/end ranges: links unused entries */
	bool is_started;
	/* its scope in `deferred`; 0 while no call with deferred work was made in it */
	uint32_t deferred;
};

/* The start/end ranges that were open in a process when a call was made. */
struct range_set {
	uint32_t *scope; /* in `deferred` */
	size_t count;
	uint32_t refs, next; /* next: links unused sets */
};

struct helpers; /* helpers/helpers.h */

struct ranges {
	const struct helpers *helpers; /* with deferred work; otherwise NULL */
	bool by_path;
	struct range_row *row;
	size_t row_count, row_room;
	struct map pairs;        /* domain << 32 | name, + 1, to the number of the pair + 1 */
	struct map rows;         /* parent row + 2 << 32 | pair to row */
	struct nest nest;        /* push/pop ranges, by domain */
	struct range_open *open; /* parallel to the nest */
	size_t open_room;
	struct work now;         /* counters of the thread whose ranges end */
	struct cpu_clock *clock; /* by thread */
	size_t clock_room;
	struct range_open *started; /* start/end ranges */
	size_t started_count, started_room;
	uint32_t unused; /* list of free entries of `started` */
	/* process and number of the range (map_key_of()), to an entry of `started` */
	struct map started_number;
	struct deferred_scopes deferred;
	struct range_set *set;
	size_t set_count, set_room;
	uint32_t set_unused; /* number of a free set; 0: none */
	uint32_t *set_of;    /* by process: the number of its set; 0: not made yet */
	size_t set_of_room;
	struct cover cover;  /* groups: a row + 1, and 0 for all rows; places: processes */
	uint64_t unbalanced; /* pops and ends for which no range was open */
	/* ranges that were popped before one that was pushed later on the same thread */
	uint64_t crossed;
	/* ranges that were popped by a generator that had pushed none, while several were open */
	uint64_t guessed;
	uint64_t marks;
};

void ranges_init(struct ranges *ranges, bool by_path);
void ranges_release(struct ranges *ranges);

/* A range that opens. `counts`: the filters hold. */
struct range_opening {
	uint64_t time_ns;
	uint32_t thread, process; /* indices; `thread` is for push only */
	uint32_t domain, name;
	uint64_t number; /* start/end only */
	struct work work;
	bool counts;
	const struct task *task; /* that the thread runs; push only */
};
void ranges_push(struct ranges *ranges, const struct range_opening *opening);
void ranges_start(struct ranges *ranges, const struct range_opening *opening);

struct range_closing {
	uint64_t time_ns;
	uint32_t thread, process, domain;
	uint64_t number;
	struct work work;
	const struct task *task; /* that the thread runs; pop only */
};
void ranges_pop(struct ranges *ranges, const struct range_closing *closing);
void ranges_end(struct ranges *ranges, const struct range_closing *closing);

/* The clock of a thread was read. */
void ranges_clock(struct ranges *ranges, struct nest_place place, uint64_t cpu_ns);

/*
 * All that is open on the thread ends at that time, or stays open. `work`: counters of the thread.
 */
void ranges_cut(struct ranges *ranges, struct nest_place place, struct work work,
		enum nest_ending how);
/* The same for start/end ranges of the process; the place's thread is not used. */
void ranges_cut_started(struct ranges *ranges, struct nest_place place, struct work work,
			enum nest_ending how);

/*
 * Deferred work (deferred/deferred.h) is then counted in the ranges that were open where it was
 * launched: in gpu_ns, gpu_ops, `projected`. For start() of the owner of the ranges.
 */
void ranges_want_late(struct ranges *ranges, struct run *run);
/* The start/end ranges of the process have changed. */
void ranges_forget_set(struct ranges *ranges, uint32_t process);
void range_gpu_release(struct range_row *row);
void ranges_late_init(struct ranges *ranges);
void ranges_late_release(struct ranges *ranges);

/* Returns how long at least one push/pop range was open on the thread; each moment counts once. */
uint64_t ranges_covered_ns(const struct ranges *ranges, uint32_t thread);

#endif
