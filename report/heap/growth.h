/* SPDX-License-Identifier: MIT */
/*
 * How what lives on the heap went from step to step: looks at the rows of a heap where steps of
 * their process begin. At most GROWTH_LOOKS looks a process are kept: when there are more, every
 * second one is forgotten and looks come half as often. What grows in each later part of the steps,
 * and never falls by half as much, is a leak; what has stopped growing is a cache; what was there
 * before the first step belongs to the program's start. Processes run the same code, as ranks do:
 * each is judged by its own steps.
 *
 * A recording without steps, as of a server, is looked at from allocation to allocation instead
 * (growth_whole.c): all processes together, so many allocations from look to look. Time would not
 * do: a server waits most of it, and does not grow then.
 */
#ifndef REPORT_HEAP_GROWTH_H
#define REPORT_HEAP_GROWTH_H

#include "report/core/analysis.h"
#include "report/heap/heap.h"

#define GROWTH_LOOKS 32u
#define GROWTH_LOOKS_MIN 8u /* fewer say nothing */

/* Live bytes of a row from one look on. */
struct growth_part {
	uint32_t row;
	uint64_t bytes;
};

struct growth_look {
	uint64_t step; /* steps that had begun before; without steps: allocations before */
	uint64_t time_ns;
	struct growth_part *part; /* rows that changed since the previous look; each once */
	size_t count;
};

struct growth_process {
	struct growth_look look[GROWTH_LOOKS];
	struct growth_look forgotten; /* the last one, when it was forgotten: parts for the next */
	size_t looks;
	uint64_t steps, every; /* every: steps from look to look */
};

struct growth {
	struct heap *heap;
	uint64_t to_ns;                  /* end of --time */
	struct growth_process **process; /* by index; NULL: no step */
	size_t room;
	uint64_t steps;              /* of the process with most */
	struct growth_process whole; /* without steps: all processes; empty once there is a step */
	uint32_t *mark; /* by row, while looks are joined: the last join that it was in */
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
	GROWTH_STOPPED, /* not any more in the last part */
	GROWTH_EARLIER, /* lived before the first step */
	GROWTH_UNEVEN,  /* none of these */
	GROWTH_LATE,    /* without steps: first allocated in the last quarter of the allocations */
	GROWTH_PAUSED,  /* without steps: not allocated any more in it */
};

/* Bytes at the looks of one process of all rows of a place, added up. */
struct growth_curve {
	uint64_t bytes[GROWTH_LOOKS], step[GROWTH_LOOKS];
	size_t looks;
};

/* What the processes with steps say of a place: each is judged by its own. */
struct growth_said {
	enum growth_verdict verdict; /* it grows where it does in one of them */
	double per_step; /* bytes of all processes where it grows, or has grown; else 0 */
};

/*
 * Of `count` places that rows of the heap belong to, by `place` of each row (SIZE_MAX: none).
 * `is_wanted`, by place: nothing is known of others; NULL: all are. After heap_finish(). Owned by
 * the caller: free().
 */
struct growth_said *growth_say(const struct growth *growth, const size_t *place, size_t count,
			       const bool *is_wanted);
/* One process's. `*ret_per_step`: bytes, where it grows or has grown; else 0. */
enum growth_verdict growth_judge(const struct growth_curve *curve, uint64_t kept_bytes,
				 double *ret_per_step);
/* Steps of the process that has most. */
uint64_t growth_steps(const struct growth *growth);

/*
 * Curves without steps, by place as above; empty where there are steps. Owned by the caller:
 * free().
 */
struct growth_curve *growth_curves_whole(const struct growth *growth, const size_t *place,
					 size_t count, const bool *is_wanted);
/* When what a curve is of was allocated, and how much is left. */
struct growth_span {
	uint64_t first_ns, latest_ns; /* of its allocations */
	uint64_t kept_bytes;
};
/*
 * The same without steps: of the time from the first look that saw it, in quarters of the
 * allocations of all. Never GROWTH_EARLIER. Says GROWTH_UNKNOWN where there are steps.
 */
enum growth_verdict growth_judge_whole(const struct growth *growth,
				       const struct growth_curve *curve,
				       const struct growth_span *span);
/* There are no steps, and looks enough for the above. */
bool growth_is_whole(const struct growth *growth);

/* For growth.c, growth_said.c and growth_whole.c alone. */
void growth_look_take(struct growth *growth, struct growth_look *look, uint32_t process);
void growth_look_join(struct growth *growth, struct growth_look *later,
		      struct growth_look *earlier);
void growth_look_release(struct growth_look *look);
/* What is needed while curves are made: rows' changes to those of places. */
struct growth_curving {
	struct growth_curve *curve; /* by place; no looks: nothing of it has changed */
	const size_t *place;
	size_t count;
	const bool *is_wanted;
	uint64_t *bytes; /* live bytes of each row at the previous look */
	size_t *touched; /* places that have a curve, each once */
	size_t touched_count;
};

void growth_curving_start(struct growth_curving *curving, const struct growth *growth,
			  const size_t *place, size_t count, const bool *is_wanted);
/* All looks of a process; places that it has not touched stay as they are. */
void growth_curving_take(struct growth_curving *curving, const struct growth_process *process);
/* Without the curves. */
void growth_curving_release(struct growth_curving *curving);
/* The most that it fell from any earlier look to a later one. */
double growth_fallen(const struct growth_curve *curve, size_t from, size_t to);
void growth_whole_start(struct growth *growth);
void growth_whole_release(struct growth *growth);

#endif
