/* SPDX-License-Identifier: MIT */
/*
 * The scope stack of each thread: ranges, operators, modules and actions that begin, end and
 * contain each other. All analyses use this one, so that they agree on where scopes end when
 * events are missing.
 *
 * A scope has a key, by which an end may name it; the innermost scope of a key need not be the
 * innermost of its thread. If a scope ends before one that began inside it, the inner one goes on
 * inside the next scope outwards: its time is charged to the first scope up to then, and to the
 * next one afterwards. A hidden scope is never the parent of another.
 *
 * A thread may run tasks by turns. An end by key is that of the innermost scope that its task began, and what a scope is inside of are
 * scopes of its own task, of the one around that, and of none. Time is the thread's all the same: each moment is the own time of
 * the scope that began last, whichever task's. In a nest by generators, an end by key is that of the innermost scope that the same
 * generator of the task began, if there is one.
 *
 * Open scopes are numbers, so that whoever follows them may keep an array of its own beside them; a number
 * is used again when its scope has ended. Threads are indices. Memory grows with threads and open scopes.
 * Beginning and ending take constant time, but for ends by key of a nest that is not keyed: these look at
 * NEST_LOOKS_MAX scopes. An end on another thread looks at that many, of the threads of its process.
 */
#ifndef REPORT_SCOPES_NEST_H
#define REPORT_SCOPES_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/base/task.h"

#define NEST_NONE UINT32_MAX
#define NEST_LOOKS_MAX 1024u
#define NEST_THREADS_MAX 65536u /* of a process, where an end may be of any of them */

enum nest_ending {
	NEST_ENDS,    /* by the program */
	NEST_CUT,     /* its end was not or will not be recorded: it ends here */
	NEST_RUNS_ON, /* everything is read and it is still open: it adds no time */
};

struct nest_end {
	uint32_t scope, parent; /* parent: NEST_NONE at the top; not hidden */
	uint32_t thread;
	bool is_elsewhere; /* another thread ended it */
	bool overlaps;     /* one that began later on its thread is still open */
	bool is_guessed; /* several were open, none by the generator that ended it: the innermost one was taken */
	enum nest_ending how;
	uint64_t key, time_ns;
	uint64_t total_ns, children_ns; /* children: of total_ns, in scopes directly inside */
};
/* Called once for each scope, the innermost first. It is out of its thread's list by then. */
typedef void nest_ended(void *state, const struct nest_end *end);

struct nest_scope {
	uint64_t key, start_ns, charged_ns, children_ns;
	uint32_t above, below; /* inside and around it on its thread */
	uint32_t parent;       /* of those around it the innermost that is not hidden */
	uint32_t outer, inner; /* the next ones of its key and task; of keyed nests */
	uint32_t thread;
	bool is_hidden;
	uint64_t identity; /* in `identified`; 0: it has none */
	uint64_t task;     /* that began it, 0: none */
	uint64_t generator;
};

struct nest_thread {
	uint32_t top, depth; /* top: the innermost open scope */
	uint32_t process;    /* NEST_NONE: nothing has been open on it */
	uint32_t next;       /* of the process, by their numbers */
	uint64_t beyond;     /* open ones deeper than depth_max */
	uint64_t since_ns, covered_ns;
	const struct task *task; /* NULL: it has run none */
};

/* Its threads that had something open; NEST_NONE: none. */
struct nest_process {
	uint32_t first, last;
};

struct nest_options {
	bool is_keyed;      /* an end by key takes constant time, a begin more of it */
	bool by_generators; /* all events are NVTX calls, which tell the generator */
	uint32_t depth_max; /* deeper ones are counted, not kept; 0: as deep as it goes */
};

struct nest {
	struct nest_options options;
	nest_ended *ended; /* may be NULL */
	void *state;
	bool has_hidden, has_tasks, has_generators;
	bool is_elsewhere, is_guessed; /* what ends now */
	struct nest_scope *scope;
	size_t count, room;
	uint32_t unused; /* list of free entries of `scope`, by their `below` */
	struct nest_thread *thread;
	size_t thread_room;
	struct nest_process *process;
	size_t process_room;
	struct map innermost;  /* thread, key and task to scope; keys below 2^32 */
	struct map identified; /* process and identity to scope */
};

void nest_init(struct nest *nest, struct nest_options options, nest_ended *ended, void *state);
void nest_release(struct nest *nest);

/*
 * Where and when. `identity`, below 2^47: what begins there is ended by an end of the same identity only, in any order and on
 * any thread of the process, whichever function is told of the end. A second begin means that the first one's end was lost.
 */
struct nest_place {
	uint64_t time_ns;
	uint32_t thread, process;
	uint64_t identity; /* 0: none */
	const struct task
		*task; /* that the thread runs; NULL: none. Stays, and changes with the thread */
	uint64_t
		inside; /* of nest_end(): so many without an identity are inside of the one that ends */
};

/* The scope; NEST_NONE when it is too deep. */
uint32_t nest_begin(struct nest *nest, struct nest_place place, uint64_t key, bool is_hidden);
/* The innermost one without an identity ends, or by `inside` an outer one; false when none is open. */
bool nest_end(struct nest *nest, struct nest_place place);
/* The innermost one of that key that is not hidden: of the task that the thread runs, else of none, else of any. */
bool nest_end_key(struct nest *nest, struct nest_place place, uint64_t key);
/* The same on any other thread of the process. */
bool nest_end_elsewhere(struct nest *nest, struct nest_place place, uint64_t key);
/* One of the two: as events tell it that have a field for another thread's end. */
bool nest_end_named(struct nest *nest, struct nest_place place, uint64_t key, bool elsewhere);
/* All scopes of the thread. */
void nest_cut(struct nest *nest, struct nest_place place, enum nest_ending how);

/* The innermost open scope, which may be hidden; NEST_NONE when there is none, or it is too deep. */
static inline uint32_t nest_top(const struct nest *nest, uint32_t thread)
{
	if (thread >= nest->thread_room || nest->thread[thread].beyond)
		return NEST_NONE;
	return nest->thread[thread].top;
}

/* Of the scopes from `at` outwards the first that is not hidden and around what the thread's task does. */
uint32_t nest_around_task(const struct nest *nest, uint32_t thread, uint32_t at);

/* The innermost one that is not hidden and around what the thread does, however deep the nesting is. */
static inline uint32_t nest_innermost(const struct nest *nest, uint32_t thread)
{
	uint32_t top = thread < nest->thread_room ? nest->thread[thread].top : NEST_NONE;

	if (nest->has_tasks)
		return nest_around_task(nest, thread, top);
	return top != NEST_NONE && nest->scope[top].is_hidden ? nest->scope[top].parent : top;
}

/* The next one outwards of one that nest_innermost() has given. */
static inline uint32_t nest_outer(const struct nest *nest, uint32_t scope)
{
	if (nest->has_tasks)
		return nest_around_task(nest, nest->scope[scope].thread, nest->scope[scope].below);
	return nest->scope[scope].parent;
}

/* How long at least one scope was open on the thread, each moment once. */
uint64_t nest_covered_ns(const struct nest *nest, uint32_t thread);

#endif
