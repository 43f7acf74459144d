/* SPDX-License-Identifier: MIT */
/*
 * Helpers: threads that do a part of another thread's work while that one waits for them. For
 * example, autograd's threads run the backward functions of the thread that called backward().
 * Their operators, CUDA calls, memory and GPU time are work on behalf of that thread, their owner.
 *
 * The link between them is found in the data. A backward function carries the number of the thread
 * that ran its forward operator. A thread that runs such a function helps that thread, if that
 * thread has begun and ended no operator since the outermost operator of the helper began. The link
 * ends when the owner begins or ends an operator again, because it does not wait any more. autograd
 * opens a scope (evaluate_function) before the function that names the thread. Until that function
 * comes, the owner is assumed to be the thread of the process that ran an operator last; the
 * function confirms or corrects this.
 *
 * Only autograd's own threads are helpers: such a thread has autograd's thread name, or runs
 * nothing but backward passes. A thread that calls backward() may run functions of other threads'
 * operators too, and those threads do not wait for it. Without such a link a thread is no helper,
 * whatever it does while others wait.
 *
 * Threads are indices. Memory grows with threads. To be used by one thread.
 */
#ifndef REPORT_HELPERS_HELPERS_H
#define REPORT_HELPERS_HELPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/core/analysis.h"
#include "report/scopes/nest.h"

/*
 * A helper that is in no operator for less than this time is between two of the engine's nodes, and
 * still works.
 */
#define HELPERS_PAUSE_NS 100000u

struct helper_thread {
	bool is_known;     /* the thread had an operator */
	bool is_forward;   /* a backward function on another thread named it */
	bool runs_own;     /* it had an operator outside of autograd's scopes */
	bool is_caller;    /* it was the first owner in a helper's stint, so it calls backward() */
	bool is_confirmed; /* a backward function of this stint named the owner */
	uint32_t index, process, depth;
	uint64_t number; /* torch's latest number of the thread; 0: not known */
	/* operators that it began or ended, and the time of the last one */
	uint64_t moves, moved_ns;
	uint64_t opened_ns; /* when its outermost open operator began */
	uint32_t owner;     /* NEST_NONE: it is no helper */
	/* the owner's moves when the link began: the owner waits while they stay the same */
	uint64_t owner_moves;
	/* For owners: the work of their helpers. */
	uint32_t busy; /* helpers that are in an operator now */
	uint64_t touched_ns;
	uint64_t helped_moves; /* its moves when a helper last worked for it, + 1 */
};

/*
 * At least one helper of the thread worked for that time, up to the place's time. Called in order,
 * at the end of each stretch.
 */
typedef void helpers_listener(void *state, struct nest_place owner, uint64_t duration_ns);

struct helpers {
	struct helpers_listening {
		helpers_listener *take;
		void *state;
	} * listening;
	size_t listening_count, listening_room;
	struct helper_thread *thread;
	size_t thread_room;
	uint32_t *last; /* by process: the thread that ran an operator last and is no helper, + 1 */
	size_t last_room;
	struct map numbers; /* process and torch's number of a thread to its index */
};

/* Returns whether the thread runs operators of its own and works for nobody, as most threads do. */
static inline bool helpers_is_nobodys(const struct helpers *helpers, uint32_t thread)
{
	return thread < helpers->thread_room && helpers->thread[thread].runs_own &&
	       helpers->thread[thread].owner == NEST_NONE;
}

/*
 * Returns the thread for which this one works now, through helpers of helpers; NEST_NONE: it works
 * for itself.
 */
uint32_t helpers_owner(const struct helpers *helpers, uint32_t thread);
/*
 * Returns the thread whose scopes hold for what this thread does: itself, or its owner if it has no
 * open scope.
 */
uint32_t helpers_scopes_of(const struct helpers *helpers, const struct nest *nest, uint32_t thread);
/*
 * Returns whether at least one helper of the thread works at that time, which must be now: the
 * thread waits for it.
 */
bool helpers_are_at_work(const struct helpers *helpers, uint32_t thread, uint64_t time_ns);
/* Returns whether a backward function on another thread had its forward operator on this one. */
bool helpers_is_forward(const struct helpers *helpers, uint32_t thread);

/* For start() of an analysis. */
void helpers_listen(struct helpers *helpers, helpers_listener *listen, void *state);

/*
 * Events of operators come in two forms with the same fields. Whoever reads one form must read the
 * other.
 */
#define SAME_FIELD(one, other, field) \
	_Static_assert(offsetof(struct evt_##one, field) == offsetof(struct evt_##other, field), "")
SAME_FIELD(torch_begin_ex, torch_begin_id, name);
SAME_FIELD(torch_begin_ex, torch_begin_id, scope);
SAME_FIELD(torch_begin_ex, torch_begin_id, sequence);
SAME_FIELD(torch_begin_ex, torch_begin_id, thread);
SAME_FIELD(torch_begin_ex, torch_begin_id, forward_thread);
SAME_FIELD(torch_end_ex, torch_end_id, name);
SAME_FIELD(torch_end_ex, torch_end_id, thread);
#undef SAME_FIELD

/* As an analysis: it gets each event before the analyses that want it. */
struct helpers_options {
	uint32_t none;
};
ANALYSIS(helpers, struct helpers)

#endif
