/* SPDX-License-Identifier: MIT */
/*
 * Samples of Python stacks as an analysis: what was seen at each place (a line and the lines that
 * led there) or under each key of --by, and what places are.
 *
 * CPU time since a thread was last seen running goes to where it is seen running next: so a line
 * that only waits gets none of it. A thread of autograd's has no Python of its own: what it does
 * for a thread that waits for it (helpers/helpers.h) is at the line where that one was seen in the
 * same look. Waits are the time since the look before. Looks in a CUDA call are known once it
 * returns: one that never does is not seen (open_looks.h). Memory grows with places, keys and
 * threads.
 */
#ifndef REPORT_SAMPLES_SAMPLE_EVENTS_H
#define REPORT_SAMPLES_SAMPLE_EVENTS_H

#include "report/base/map.h"
#include "report/core/analysis.h"
#include "report/core/key.h"
#include "report/samples/place_roles.h"

#define SAMPLE_NONE UINT32_MAX
#define SAMPLE_TORN_PLACE 1u /* keys of places are larger: a stack that could not be read */
#define SAMPLE_WAIT_MAX_NS 2000000000u /* that one sample can stand for: the rest was not seen */
#define SAMPLES_HZ_MAX 1000u           /* INTERCEPT_SAMPLE allows no more */
#define SAMPLE_NOT_PYTHON "(no Python function)"
#define SAMPLE_IMPORTS "(imports)"
#define SAMPLE_NOT_IN_STEPS "(outside of the steps)"
#define SAMPLE_REQUESTS_MIN 10u /* with fewer, a program is no server: nothing is left out */
#define SAMPLE_TORN "(stack could not be read)"
#define SAMPLE_DEPTH_MAX 1024u /* of places that are followed: the collector has fewer */

struct sample_counts {
	uint64_t looks, cpu_ns, native_ns, wait_ns, ready_ns;
	uint64_t idle_ns;   /* it waited for something to do; no part of wait_ns and state_ns */
	uint64_t cpu_looks; /* those that have CPU time: what shares of it stand on */
	double cpu_squares; /* of their CPU times, in ns */
	uint64_t
		/* of CPU time: a look that was left out may have seen it at another line */
		doubt_ns;
	uint64_t
		/*
		 * that found a thread on a CPU and were left out; their CPU time is with the others
		 */
		late_looks;
	uint64_t cuda_ns; /* of CPU time and waits: a CUDA call was open */
	uint64_t state_ns[EVT_PYTHON_STATE_LIMIT];
};

struct sample_row {
	uint64_t key; /* of --by, 0 with a place */
	uint64_t
		/* as sample_place_key() has it, 0: no Python function ran, or SAMPLE_TORN_PLACE */
		place;
	struct sample_counts counts;
	struct sample_counts
		/*
		 * of it, between the first mark of a step and the last, of any process; without
		 * steps, of a request
		 */
		in_steps;
	struct sample_counts since; /* of it, since a mark of a step; the next one settles it */
	uint64_t mark;              /* which one; 0: before the first */
};

struct sample_place {
	uint64_t from; /* key of the place around it, 0: none */
	uint64_t code; /* key of its function */
	uint32_t line;
	struct place_role role;
};
struct sample_code {
	uint32_t function, file; /* indices of names */
	uint32_t line;
};

struct samples {
	struct sample_row *row;
	size_t row_count, row_room;
	struct map rows;
	struct sample_place *place;
	size_t place_count, place_room;
	struct map places;
	struct sample_code *code;
	size_t code_count, code_room;
	struct map codes;
	struct sample_counts all, steps; /* steps: as in_steps of rows */
	uint64_t marks;                  /* of steps or requests, so far */
	/* that have begun, and ended, as long as there is no step */
	uint64_t requests, requests_ended;
	bool has_steps;                       /* marks are of steps */
	uint32_t threads;                     /* that were seen */
	uint64_t torn, cut, dropped, partial; /* of python_sampling, of all processes */
	uint64_t off[EVT_PYTHON_OFF_LIMIT];   /* processes by why they were not sampled */
	/* the same, without those that were sampled before: these lack only their end */
	uint64_t unsampled[EVT_PYTHON_OFF_LIMIT];
	uint64_t on; /* processes that were, as long as they ran */
	uint64_t hz; /* the highest that one was sampled at; 0: none was */
	struct run_key key;
	bool is_by_place, is_by_task;
	/* why not, as limitations, which every report begins with; not in older recordings */
	bool is_said;
};

/* What samples at this place alone say, where rows are by place; NULL: there are none. */
const struct sample_counts *samples_at_place(const struct samples *samples, uint64_t place);

struct samples_options {
	enum key_id by; /* of report lines */
};
ANALYSIS(samples, struct samples)

/*
 * By how many percent a share of this CPU time may be off, in 19 of 20 cases, since it is an
 * estimate by looks: at most, which is at a share of half. 100 where there are none.
 */
double sample_counts_uncertain_percent(const struct sample_counts *counts);
/*
 * As many more where looks were left out because they came late: all of them may have been at one
 * line.
 */
double sample_counts_doubt_percent(const struct sample_counts *counts);

/* Whether `steps` and in_steps mean something: there were steps, or enough requests. */
static inline bool samples_have_steps(const struct samples *samples)
{
	return samples->steps.looks &&
	       (samples->has_steps || samples->requests >= SAMPLE_REQUESTS_MIN);
}

/* Of a place, or a function, by its number in the event's file; 0 stays 0. */
uint64_t sample_place_key(const struct source_event *event, uint64_t id);

/* NULL: its definition was lost. */
const struct sample_place *samples_place(const struct samples *samples, uint64_t key);
const struct sample_code *samples_code(const struct samples *samples, uint64_t key);

/* What it means that a process was not sampled, by enum evt_python_off; NULL: it means nothing. */
const char *samples_off_text(unsigned int off);
/* Whether a higher INTERCEPT_SAMPLE would have taken more. */
bool samples_can_be_more(const struct samples *samples);
/* Why no process was sampled; NULL: one was, or nobody has said why not. */
const char *samples_why_none(const struct samples *samples);

void sample_counts_add(struct sample_counts *into, const struct sample_counts *more);
/* `part` is of it. */
void sample_counts_take(struct sample_counts *from, const struct sample_counts *part);

#endif
