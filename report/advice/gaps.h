/* SPDX-License-Identifier: MIT */
/*
 * Gaps: the time of a thread between operators, when none is open on it, by place. A place is
 * identified by what ended last, what ended before that, and what begins next. So two places of a
 * loop that are equal for one operator are still distinguished.
 *
 * A program that waits for a core has a long gap at random places. Therefore the cost of a place is
 * the median of its gaps multiplied by their number: one long gap among short ones adds nothing.
 *
 * A CUDA call in a gap is subtracted from it: other rules know what such calls do. The same holds
 * for the time in which a collective of the process is under way on other threads, as gradients are
 * reduced: it is communication, and may be a wait for other ranks.
 *
 * For the thread that passed a place first, the time that it was on a CPU there is known if its
 * clock was read.
 *
 * The operators of a helper (helpers/helpers.h) count as the owner's: the owner has no gap while a
 * helper is in one. Other threads may run operators in a gap. If they had finished when it ended,
 * and a backward function has named one of them by the end of the step, that time is subtracted,
 * because their forward operators belong to the step. The time of threads without such a link is
 * only kept in addition.
 *
 * backward() of a scalar makes its first gradient with aten::ones_like and passes it to autograd's
 * thread. Until that thread runs its first operator, the step's thread waits for it, and this gap
 * is no place of the program.
 *
 * Only gaps inside of complete steps count, on the thread that ends the steps. Memory:
 * GAP_PLACES_MAX places, and GAP_PENDING_MAX gaps for each thread; further ones are counted.
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

#define GAP_SHORT_NS 100000u /* a shorter gap is the cost of calling an operator from Python */
#define GAP_SMALL_NS 10000u  /* the time of a shorter operator is mostly the cost of the call */
#define GAP_RUN_LONG 32u     /* operators in a row without a CUDA call: they work on the CPU */
#define GAP_PLACES_MAX 65536u
#define GAP_PENDING_MAX 65536u
#define GAP_NO_NAME UINT32_MAX
#define GAP_NO_PLACE SIZE_MAX

struct gap_place {
	uint32_t before, after; /* indices of names; GAP_NO_NAME: the thread's first operator */
	/* of the user's scope that contains most of it; GAP_NO_NAME: none */
	uint32_t label;
	uint64_t label_ns; /* the part of the gap in that scope */
	struct timing time;
	uint64_t steps, last_step; /* in which it occurred; gaps->steps of the last one */
	/* the part of `time` in which other threads of the process were in operators */
	uint64_t beside_ns;
	uint32_t beside;     /* one of those operators; GAP_NO_NAME: none */
	uint32_t thread;     /* index: the thread to which cpu applies */
	struct cpu_span cpu; /* wall_ns 0: nothing is known */
};

struct gaps {
	struct gap_place *place;
	size_t place_count, place_room;
	struct map places;
	const struct helpers *helpers; /* NULL: not known */
	/* index of aten::ones_like once it has occurred, otherwise GAP_NO_NAME */
	uint32_t seed_name;
	struct gap_thread *thread;
	size_t thread_room;
	struct gap_process *process;
	size_t process_room;
	uint64_t steps; /* settled ones that ended, of all processes */
	uint64_t
		beyond; /* gaps of steps that were not kept; report bottleneck shows their number */
};

void gaps_init(struct gaps *gaps);
void gaps_release(struct gaps *gaps);

/*
 * An operator or a data loader's next opens or closes, also inside of another. `may_launch`: it is
 * an operator, or contains some, so it may launch GPU work.
 */
/* Returns how long the gap of the thread was that ends here, if it was long; otherwise 0. */
uint64_t gaps_busy(struct gaps *gaps, struct nest_place place, uint32_t name);
/*
 * Returns how long the thread has worked on the CPU, as in gaps_sum.host_ns, up to now; 0: what
 * ended is none of that work.
 */
uint64_t gaps_idle(struct gaps *gaps, struct nest_place place, uint32_t name, bool may_launch);
/* A CUDA call has returned that was not made inside of another one. */
void gaps_call(struct gaps *gaps, struct nest_place place, uint64_t duration_ns);
/*
 * An activity that has just ended took that part of the gap, and has advice of its own: a garbage
 * collection.
 */
void gaps_pause(struct gaps *gaps, struct nest_place place, uint64_t duration_ns);
/* A collective begins, or ends, that is open across threads. */
void gaps_sends(struct gaps *gaps, struct nest_place place);
void gaps_sent(struct gaps *gaps, struct nest_place place);
/*
 * A scope that the user has named begins: it may contain a part of a gap, from its begin or to its
 * end.
 */
void gaps_label_begins(struct gaps *gaps, struct nest_place place, uint32_t name);
void gaps_label_ends(struct gaps *gaps, struct nest_place place, uint32_t name);
/* The clock of the thread was read. */
void gaps_clock(struct gaps *gaps, struct nest_place place, uint64_t cpu_ns);
/* What the thread has done since its last operator is not known: no gap ends with the next one. */
void gaps_forget(struct gaps *gaps, uint32_t thread);
/* The thread is cut here: no gap is under way. */
void gaps_cut(struct gaps *gaps, struct nest_place place);

/*
 * A step of this thread ends. If it counts, the sums since the previous step are returned. If it is
 * settled, not warm-up, its gaps are kept by place.
 */
struct gaps_step {
	bool counts, settled;
};
struct gaps_sum {
	uint64_t short_ns; /* of gaps below GAP_SHORT_NS */
	uint64_t small_ns; /* of operators below GAP_SMALL_NS that are in no other */
	/*
	 * Of operators that are in no other, call no CUDA, and take GAP_SHORT_NS or more, or are of
	 * a run of GAP_RUN_LONG or more; with the short gaps in such runs.
	 */
	uint64_t host_ns;
	uint64_t longest_ns;
	size_t longest; /* index of its place; GAP_NO_PLACE: not kept */
};
struct gaps_sum gaps_step(struct gaps *gaps, uint32_t thread, const struct gaps_step *step);

/*
 * Whether the thread of a place was running there. `runnable_share`: the time in all steps that it
 * could have run but had no CPU, relative to its CPU time; negative: not known. A busy machine
 * makes threads wait in proportion to their running time, so another cause is certain only if the
 * wait is GAP_CAUTION times as long.
 */
#define GAP_CAUTION 4
enum gap_state {
	GAP_UNKNOWN,
	GAP_RUNNING,
	GAP_WAITING, /* for something other than a CPU */
	GAP_BOTH,
};
enum gap_state gap_place_state(const struct gap_place *place, double runnable_share,
			       double *ret_running_share);

/*
 * Returns whether many of its gaps are long, and many are short, of several a step. Of one a step
 * they differ by step or by rank, which other rules are about.
 */
bool gap_place_is_mixed(const struct gap_place *place);
/*
 * For a place whose gaps are long: the median multiplied by their number, but never more than their
 * sum; 0 for others. If they are mixed, their sum without what a few have more than the others.
 */
uint64_t gap_place_ns(const struct gap_place *place);
/* Returns the place with the highest cost; NULL: no place has any. */
const struct gap_place *gaps_largest(const struct gaps *gaps);

#endif
