/* SPDX-License-Identifier: MIT */
/*
 * How the live heap changed from step to step: snapshots of the rows of a heap, taken where steps
 * of their process begin. At most GROWTH_LOOKS snapshots are kept for each process: if there are
 * more, every second one is dropped, and snapshots are taken half as often. Memory that grows in
 * each later part of the steps, and never falls by half as much, is a leak. What has stopped
 * growing is a cache. What was there before the first step belongs to the start of the program.
 * Processes run the same code, as ranks do: each is judged by its own steps.
 *
 * For a recording without steps, such as that of a server, snapshots are taken from allocation to
 * allocation instead (growth_whole.c): for all processes together, with so many allocations between
 * two of them. Time would not be suitable: a server waits most of the time, and does not grow then.
 */
#ifndef REPORT_HEAP_GROWTH_H
#define REPORT_HEAP_GROWTH_H

#include "report/core/analysis.h"
#include "report/heap/heap.h"

#define GROWTH_LOOKS 32u
#define GROWTH_LOOKS_MIN 8u /* fewer are not enough to judge */

/* Live bytes of a row from one snapshot on. */
struct growth_part {
	uint32_t row;
	uint64_t bytes;
};

struct growth_look {
	uint64_t step; /* steps that had begun before; without steps: allocations before */
	uint64_t time_ns;
	struct growth_part *part; /* rows that changed since the previous snapshot; each once */
	size_t count;
};

struct growth_process {
	struct growth_look look[GROWTH_LOOKS];
	/* the last snapshot, if it was dropped: its parts belong to the next */
	struct growth_look forgotten;
	size_t looks;
	uint64_t steps, every; /* every: steps from one snapshot to the next */
};

struct growth {
	struct heap *heap;
	const struct detail *detail;
	uint64_t to_ns;   /* end of --time */
	uint64_t done_ns; /* the last program was done and its runtime began to end; 0: none */
	struct growth_process **process; /* by index; NULL: no step */
	size_t room;
	uint64_t steps;              /* of the process with the most */
	struct growth_process whole; /* without steps: all processes; empty once there is a step */
	uint32_t *mark; /* by row, while snapshots are joined: the last join that contained it */
	size_t mark_room;
	uint32_t joins;
};

struct growth_options {
	enum heap_of of;
};

ANALYSIS(growth, struct growth)

enum growth_verdict {
	GROWTH_UNKNOWN, /* no steps, or too few */
	GROWTH_STEADY,  /* in each later part of the steps */
	GROWTH_STOPPED, /* but not in the last part */
	GROWTH_EARLIER, /* allocated before the first step */
	GROWTH_UNEVEN,  /* none of these */
	GROWTH_LATE,    /* without steps: first allocated in the last quarter of the allocations */
	GROWTH_PAUSED,  /* without steps: no longer allocated in that quarter, or in that of time */
};

/* The bytes of a place, summed over its rows, at the snapshots of one process. */
struct growth_curve {
	uint64_t bytes[GROWTH_LOOKS], step[GROWTH_LOOKS];
	size_t looks;
};

/* The verdict of all processes with steps on a place: each is judged by its own steps. */
struct growth_said {
	enum growth_verdict verdict; /* it grows if it grows in one of them */
	double per_step; /* sum over the processes in which it grows or has grown; otherwise 0 */
};

/*
 * Judges `count` places to which rows of the heap belong, by `place` of each row (SIZE_MAX: none).
 * `is_wanted`, by place: other places are not judged; NULL: all are. To be called after
 * heap_finish(). The caller frees the result with free().
 */
struct growth_said *growth_say(const struct growth *growth, const size_t *place, size_t count,
			       const bool *is_wanted);
/* Judges one process. `*ret_per_step`: bytes if it grows or has grown; otherwise 0. */
enum growth_verdict growth_judge(const struct growth_curve *curve, uint64_t kept_bytes,
				 double *ret_per_step);
/* Returns the steps of the process that has the most. */
uint64_t growth_steps(const struct growth *growth);

/*
 * Returns curves without steps, by place as above; empty if there are steps. The caller frees the
 * result with free().
 */
struct growth_curve *growth_curves_whole(const struct growth *growth, const size_t *place,
					 size_t count, const bool *is_wanted);
/* When the memory of a curve was allocated, and how much is left. */
struct growth_span {
	uint64_t first_ns, latest_ns; /* of its allocations */
	uint64_t kept_bytes;
	uint64_t end_ns; /* of the recording */
};
/*
 * The same without steps: by the time from the first snapshot that contains it, in quarters of all
 * allocations. Never returns GROWTH_EARLIER. Returns GROWTH_UNKNOWN if there are steps.
 */
enum growth_verdict growth_judge_whole(const struct growth *growth,
				       const struct growth_curve *curve,
				       const struct growth_span *span);
/* There are no steps, and there are enough snapshots for the above. */
bool growth_is_whole(const struct growth *growth);

/* For growth.c, growth_said.c and growth_whole.c alone. */
void growth_look_take(struct growth *growth, struct growth_look *look, uint32_t process);
void growth_look_join(struct growth *growth, struct growth_look *later,
		      struct growth_look *earlier);
void growth_look_release(struct growth_look *look);
/* State while curves are made: changes of rows become changes of places. */
struct growth_curving {
	struct growth_curve *curve; /* by place; no snapshots: nothing of it has changed */
	const size_t *place;
	size_t count;
	const bool *is_wanted;
	uint64_t *bytes; /* live bytes of each row at the previous snapshot */
	size_t *touched; /* places that have a curve, each once */
	size_t touched_count;
};

void growth_curving_start(struct growth_curving *curving, const struct growth *growth,
			  const size_t *place, size_t count, const bool *is_wanted);
/* Takes all snapshots of a process; places that it has not changed stay as they are. */
void growth_curving_take(struct growth_curving *curving, const struct growth_process *process);
/* Releases all but the curves. */
void growth_curving_release(struct growth_curving *curving);
/* Returns the largest decrease from any earlier point to a later one. */
double growth_fallen(const struct growth_curve *curve, size_t from, size_t to);
void growth_whole_start(struct growth *growth);
void growth_whole_release(struct growth *growth);

#endif
