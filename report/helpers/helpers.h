/* SPDX-License-Identifier: MIT */
/*
 * Helpers: threads that do a part of another thread's work while that one waits for them, as autograd's threads run the
 * backward functions of the thread that called backward(). Their operators, CUDA calls, memory and GPU time are work on
 * behalf of that thread, their owner.
 *
 * The link is in the data. A backward function carries the number of the thread that ran its forward operator. A thread
 * that runs such a function helps that thread, if that thread has begun and ended no operator since the outermost
 * operator of the helper began. The link ends when the owner begins or ends an operator again: then it waits no more.
 * autograd opens a scope (evaluate_function) before the function that names the thread. Up to then the owner is the thread
 * of the process that ran an operator last, which the function confirms or corrects.
 *
 * Only a thread of autograd's own is a helper: it is named so, or runs nothing but backward passes. A thread that calls
 * backward() may run functions of other threads' operators too, and those do not wait for it. Without such a link a thread is
 * no helper, whatever it does while others wait.
 *
 * Threads are indices. Memory grows with threads. One thread.
 */
#ifndef REPORT_HELPERS_HELPERS_H
#define REPORT_HELPERS_HELPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/core/analysis.h"
#include "report/scopes/nest.h"

/* A helper that is in no operator for less than this is between two of the engine's nodes, and still at work. */
#define HELPERS_PAUSE_NS 100000u

struct helper_thread {
	bool is_known;   /* it had an operator */
	bool is_forward; /* a backward function on another thread named it */
	bool runs_own;   /* it had an operator outside of autograd's scopes */
	bool is_caller;  /* it has been the first owner of a helper's stint: it calls backward() */
	bool is_confirmed; /* the owner was named by a backward function of this stint */
	uint32_t index, process, depth;
	uint64_t number;          /* torch's of the thread, as it was last; 0: not known */
	uint64_t moves, moved_ns; /* operators that it began or ended, and when it did last */
	uint64_t opened_ns;       /* its outermost open operator */
	uint32_t owner;           /* NEST_NONE: nobody's helper */
	uint64_t owner_moves;     /* the owner's moves then: it waits while they stay the same */
	/* Of an owner: what its helpers did. */
	uint32_t busy; /* of its helpers, in an operator now */
	uint64_t touched_ns, covered_ns;
	uint64_t helped_moves; /* its moves when a helper worked for it last, + 1 */
};

/* From then to then at least one helper of the thread was at work; told in order, at the end of each. */
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

void helpers_init(struct helpers *helpers);
void helpers_release(struct helpers *helpers);

/* Events of operators, with all their fields, in order of time; others are nothing to it. */
void helpers_take(struct helpers *helpers, struct source *source, const struct source_event *event);
/* What is open on the thread ends. */
void helpers_cut(struct helpers *helpers, uint32_t thread);

/* The thread runs operators of its own and works for nobody: what most threads do. */
static inline bool helpers_is_nobodys(const struct helpers *helpers, uint32_t thread)
{
	return thread < helpers->thread_room && helpers->thread[thread].runs_own &&
	       helpers->thread[thread].owner == NEST_NONE;
}

/* For whom the thread works now, through helpers of helpers; NEST_NONE: for nobody else. */
uint32_t helpers_owner(const struct helpers *helpers, uint32_t thread);
/*
 * The thread whose scopes hold for what this thread does: itself, or its owner if it has no open
 * scope.
 */
uint32_t helpers_scopes_of(const struct helpers *helpers, const struct nest *nest, uint32_t thread);
/* How long at least one helper of the thread was at work, each moment once, as of the last operator of any of them. */
uint64_t helpers_covered_ns(const struct helpers *helpers, uint32_t thread);
/* At least one helper of the thread is at work at that time, which is now: the thread waits for it. */
bool helpers_are_at_work(const struct helpers *helpers, uint32_t thread, uint64_t time_ns);
/* A backward function on another thread had its forward operator on this one. */
bool helpers_is_forward(const struct helpers *helpers, uint32_t thread);

/* For start() of an analysis. */
void helpers_listen(struct helpers *helpers, helpers_listener *listen, void *state);

/* Events of operators come in two forms. What reads the one reads the other, too. */
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

/* As an analysis: it sees each event before those that want it. */
struct helpers_options {
	uint32_t none;
};
ANALYSIS(helpers, struct helpers)

/* For start(): run_reads() of the events that it is made of, for who looks at it as they come. */
void helpers_read(struct run *run, uint32_t fields, analysis_take *reader, void *state);

#endif
