/* SPDX-License-Identifier: MIT */
/*
 * The stack of open scopes of each thread: ranges, operators, modules and actions that begin, end
 * and contain each other. All analyses use this code, so they agree on where scopes end if events
 * are missing.
 *
 * A scope has a key, by which an end may name it. The innermost scope of a key need not be the
 * innermost of its thread. If a scope ends before one that began inside it, the inner one continues
 * inside of the next scope outwards: its time up to then is charged to the first scope, and its
 * time afterwards to the next one. A hidden scope is never the parent of another.
 *
 * A thread may run several tasks by turns. An end by key then belongs to the innermost scope that
 * the running task began. The scopes around a scope are those of its own task, of the task around
 * that, and those of no task. Time still belongs to the thread: each moment is own time of the
 * scope that began last, of whichever task. In a nest by generators, an end by key belongs to the
 * innermost scope that the same generator of the task began, if there is one.
 *
 * Open scopes are numbers, so a caller may keep an array of its own in parallel. A number is reused
 * when its scope has ended. Threads are indices. Memory grows with threads and open scopes. Begin
 * and end take constant time, except ends by key in a nest that is not keyed: these look at up to
 * NEST_LOOKS_MAX scopes. An end on another thread looks at that many scopes, of the threads of its
 * process.
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
#define NEST_THREADS_MAX 65536u /* of a process, for ends that may be on any thread */

enum nest_ending {
	NEST_ENDS,    /* ended by the program */
	NEST_CUT,     /* its end was not or will not be recorded, so it ends here */
	NEST_RUNS_ON, /* everything is read and it is still open: it adds no time */
};

struct nest_end {
	uint32_t scope, parent; /* parent: not hidden; NEST_NONE at the top */
	uint32_t thread;
	bool is_elsewhere; /* another thread ended it */
	bool overlaps;     /* a scope that began later on its thread is still open */
	/*
	 * several were open, and the generator that ended it began none of them: the innermost one
	 * was chosen
	 */
	bool is_guessed;
	enum nest_ending how;
	uint64_t key, time_ns;
	/* children_ns: the part of total_ns in scopes directly inside */
	uint64_t total_ns, children_ns;
};
/*
 * Called once for each scope, the innermost first. The scope has already been removed from its
 * thread's list.
 */
typedef void nest_ended(void *state, const struct nest_end *end);

struct nest_scope {
	uint64_t key, start_ns, charged_ns, children_ns;
	uint32_t above, below; /* the next ones inside and around it on its thread */
	uint32_t parent;       /* the innermost scope around it that is not hidden */
	uint32_t outer, inner; /* in keyed nests: the next ones of its key and task */
	uint32_t thread;
	bool is_hidden;
	uint64_t identity; /* in `identified`; 0: it has none */
	uint64_t task;     /* the task that began it; 0: none */
	uint64_t generator;
};

struct nest_thread {
	uint32_t top, depth; /* top: the innermost open scope */
	uint32_t process;    /* NEST_NONE: nothing has been open on the thread */
	uint32_t next;       /* the next thread of the process */
	uint64_t beyond;     /* open scopes deeper than depth_max */
	uint64_t since_ns, covered_ns;
	const struct task *task; /* NULL: it has run no task */
};

/* The threads of a process that had open scopes; NEST_NONE: none. */
struct nest_process {
	uint32_t first, last;
};

struct nest_options {
	bool is_keyed;      /* an end by key then takes constant time, and a begin more time */
	bool by_generators; /* all events are NVTX calls, which record the generator */
	uint32_t depth_max; /* deeper scopes are counted but not kept; 0: no limit */
};

struct nest {
	struct nest_options options;
	nest_ended *ended; /* may be NULL */
	void *state;
	bool has_hidden, has_tasks, has_generators;
	bool is_elsewhere, is_guessed; /* of the scope that ends now */
	struct nest_scope *scope;
	size_t count, room;
	uint32_t unused; /* list of free entries of `scope`, linked by `below` */
	struct nest_thread *thread;
	size_t thread_room;
	struct nest_process *process;
	size_t process_room;
	struct map innermost;  /* thread, key and task to scope; keys are below 2^32 */
	struct map identified; /* process and identity to scope */
};

void nest_init(struct nest *nest, struct nest_options options, nest_ended *ended, void *state);
void nest_release(struct nest *nest);

/*
 * Where and when something happens. `identity`, below 2^47: a scope that begins with one is ended
 * by an end with the same identity only, in any order and on any thread of the process, whichever
 * function reports the end. A second begin means that the end of the first scope was lost.
 */
struct nest_place {
	uint64_t time_ns;
	uint32_t thread, process;
	uint64_t identity; /* 0: none */
	/*
	 * the task that the thread runs; NULL: none. The object stays the thread's and changes with
	 * it
	 */
	const struct task *task;
	/* for nest_end(): number of scopes without an identity inside of the one that ends */
	uint64_t inside;
};

/* Returns the scope; NEST_NONE: it is too deep. */
uint32_t nest_begin(struct nest *nest, struct nest_place place, uint64_t key, bool is_hidden);
/*
 * Ends the innermost scope without an identity, or an outer one by `inside`; returns false if none
 * is open.
 */
bool nest_end(struct nest *nest, struct nest_place place);
/*
 * Ends the innermost scope of that key that is not hidden: of the thread's task, otherwise of no
 * task, otherwise of any.
 */
bool nest_end_key(struct nest *nest, struct nest_place place, uint64_t key);
/* The same on any other thread of the process. */
bool nest_end_elsewhere(struct nest *nest, struct nest_place place, uint64_t key);
/* Calls one of the two above: for events that have a field for ends on another thread. */
bool nest_end_named(struct nest *nest, struct nest_place place, uint64_t key, bool elsewhere);
/* Ends all scopes of the thread. */
void nest_cut(struct nest *nest, struct nest_place place, enum nest_ending how);

/*
 * Returns the innermost open scope, which may be hidden; NEST_NONE: none is open, or it is too
 * deep.
 */
static inline uint32_t nest_top(const struct nest *nest, uint32_t thread)
{
	if (thread >= nest->thread_room || nest->thread[thread].beyond)
		return NEST_NONE;
	return nest->thread[thread].top;
}

/*
 * Returns the first scope from `at` outwards that is not hidden and encloses what the thread's task
 * does.
 */
uint32_t nest_around_task(const struct nest *nest, uint32_t thread, uint32_t at);

/*
 * Returns the innermost scope that is not hidden and encloses what the thread does, at any depth of
 * nesting.
 */
static inline uint32_t nest_innermost(const struct nest *nest, uint32_t thread)
{
	uint32_t top = thread < nest->thread_room ? nest->thread[thread].top : NEST_NONE;

	if (nest->has_tasks)
		return nest_around_task(nest, thread, top);
	return top != NEST_NONE && nest->scope[top].is_hidden ? nest->scope[top].parent : top;
}

/* Returns the next scope outwards of a result of nest_innermost(). */
static inline uint32_t nest_outer(const struct nest *nest, uint32_t scope)
{
	if (nest->has_tasks)
		return nest_around_task(nest, nest->scope[scope].thread, nest->scope[scope].below);
	return nest->scope[scope].parent;
}

/* Returns how long at least one scope was open on the thread; each moment counts once. */
uint64_t nest_covered_ns(const struct nest *nest, uint32_t thread);

#endif
