/* SPDX-License-Identifier: MIT */
/*
 * Gaps: the time of a thread between operators, when none is open on it, by the place where it
 * passes. A place is what ended last, what ended before that, and what begins next; so two places
 * of a loop that look alike for one operator are still told apart.
 *
 * A program that waits for a core has a long gap at random places. What a place costs is therefore
 * its median times its number: one long gap among short ones counts as nothing.
 *
 * A call of CUDA in a gap is taken out of it: other rules know what such calls do.
 *
 * For the thread that passed a place first, the time that it was on a CPU there is known if its
 * clock was read.
 *
 * The operators of a helper (helpers/helpers.h) count as the owner's: no gap of it goes on while a
 * helper is in one. Where other threads ran operators in a gap, were done when it ended, and a
 * backward function has named one of them by the end of the step, that time is taken out: their
 * forward operators are of the step. What threads without such a link did in it is only kept
 * beside.
 *
 * backward() of a scalar makes its first gradient by aten::ones_like and hands over to autograd's thread. Until that runs its
 * first operator the step's thread waits for it, and what the step does there is no place of the program.
 *
 * Only gaps inside of whole steps count, on the thread that ends the steps. Memory: GAP_PLACES_MAX places,
 * and GAP_PENDING_MAX gaps a thread; what is beyond is counted.
 */
#ifndef REPORT_ADVICE_GAPS_H
#define REPORT_ADVICE_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/cpu_clock.h"
#include "report/base/map.h"
#include "report/base/timing.h"
#include "report/helpers/helpers.h"
#include "report/scopes/nest.h"

#define GAP_SHORT_NS 100000u /* a shorter one is what calling an operator from Python takes */
#define GAP_SMALL_NS 10000u  /* an operator that takes less does little but being called */
#define GAP_PLACES_MAX 65536u
#define GAP_PENDING_MAX 65536u
#define GAP_NO_NAME UINT32_MAX
#define GAP_NO_PLACE SIZE_MAX

struct gap_place {
	uint32_t before, after; /* indices of names; GAP_NO_NAME: the thread's first */
	uint32_t label;         /* of the user's scope that holds most of it; GAP_NO_NAME: none */
	uint64_t label_ns;      /* of the gap in that scope */
	struct timing time;
	uint64_t beside_ns;  /* of `time`, other threads of the process were in operators */
	uint32_t beside;     /* one of them, GAP_NO_NAME: none */
	uint32_t thread;     /* index: cpu is of its gaps */
	struct cpu_span cpu; /* wall_ns 0: nothing is known */
};

struct gaps {
	struct gap_place *place;
	size_t place_count, place_room;
	struct map places;
	const struct helpers *helpers; /* NULL: not known */
	uint32_t seed_name;            /* of aten::ones_like, once it was seen, else GAP_NO_NAME */
	struct gap_thread *thread;
	size_t thread_room;
	struct gap_process *process;
	size_t process_room;
	uint64_t
		beyond; /* gaps of steps that were not kept: report bottleneck gives their number */
};

void gaps_init(struct gaps *gaps);
void gaps_release(struct gaps *gaps);

/*
 * An operator, a data loader's next: opens and closes, innermost ones too. `may_launch`: it is an operator, or holds some, and
 * so may be what launches a GPU's work.
 */
void gaps_busy(struct gaps *gaps, struct nest_place place, uint32_t name);
void gaps_idle(struct gaps *gaps, struct nest_place place, uint32_t name, bool may_launch);
/* A call of CUDA has returned; none that was made inside of another. */
void gaps_call(struct gaps *gaps, struct nest_place place, uint64_t duration_ns);
/* What has just ended took so much of the gap, and has advice of its own: a collection of garbage. */
void gaps_pause(struct gaps *gaps, struct nest_place place, uint64_t duration_ns);
/* A scope that the user has named: of a gap it may hold a part, from its beginning or to its end. */
void gaps_label_begins(struct gaps *gaps, struct nest_place place, uint32_t name);
void gaps_label_ends(struct gaps *gaps, struct nest_place place, uint32_t name);
/* The clock of the thread was read. */
void gaps_clock(struct gaps *gaps, struct nest_place place, uint64_t cpu_ns);
/* All of the thread is cut off here: no gap is under way. */
void gaps_cut(struct gaps *gaps, struct nest_place place);

/*
 * A step of this thread ends. When it counts, the sums since the last one are returned; when it is settled,
 * no warm-up, its gaps are kept by place.
 */
struct gaps_step {
	bool counts, settled;
};
struct gaps_sum {
	uint64_t short_ns; /* of gaps below GAP_SHORT_NS */
	uint64_t small_ns; /* of operators below GAP_SMALL_NS that are in no other */
	uint64_t
		host_ns; /* of operators of GAP_SHORT_NS or more that are in no other and call no CUDA */
	uint64_t longest_ns;
	size_t longest; /* index of its place; GAP_NO_PLACE: not kept */
};
struct gaps_sum gaps_step(struct gaps *gaps, uint32_t thread, const struct gaps_step *step);

/*
 * Whether the thread of a place was running there. `runnable_share`: for how long it could have run and had no CPU, in
 * parts of its CPU time, in all steps; below 0: not known. A busy machine makes threads wait in proportion to what they
 * run; to be sure of another reason it must be GAP_CAUTION times as much.
 */
#define GAP_CAUTION 4
enum gap_state {
	GAP_UNKNOWN,
	GAP_RUNNING,
	GAP_WAITING, /* for something else than a CPU */
	GAP_BOTH,
};
enum gap_state gap_place_state(const struct gap_place *place, double runnable_share,
			       double *ret_running_share);

/* Median times number, of a place whose gaps are long, and never more than they took; 0 of others. */
uint64_t gap_place_ns(const struct gap_place *place);
/* The place that costs most; NULL: none costs anything. */
const struct gap_place *gaps_largest(const struct gaps *gaps);

#endif
