/* SPDX-License-Identifier: MIT */
/*
 * What the threads of a server did once it served: from samples, without its start-up. A process
 * serves from its first request on, or from the first look at which one of its threads waited for a
 * connection, or for requests or tasks in an event loop or a server's own function.
 *
 * A program with steps is no server here. Threads are indices; times are ns. Built after the
 * reading, from the rows of wait_looks.h.
 */
#ifndef REPORT_ADVICE_SERVING_H
#define REPORT_ADVICE_SERVING_H

#include "report/advice/line_sums.h"
#include "report/advice/thread_chains.h"
#include "report/advice/wait_looks.h"
#include "report/advice/wait_places.h"

struct bottleneck;

struct serving_thread {
	uint64_t all_ns;
	uint64_t runs_ns, ready_ns; /* on a CPU; ready to run, but without one */
	uint64_t gil_ns;            /* waited for the GIL */
	uint64_t pool_ns;           /* in a pool, with a task or without */
	uint64_t task_ns;           /* of that, with a task */
	uint64_t task_waits_ns;     /* of that, waiting for anything but the GIL and a CPU */
	bool is_loop;               /* it ran an event loop */
};

struct serving {
	bool is_server;
	uint64_t since_ns;        /* when the first process began to serve */
	uint64_t ns;              /* from then to the end of the recording */
	struct wait_place *place; /* of each row of wait_looks */
	struct serving_thread *thread;
	struct thread_chains chains; /* a chain counts as one thread */
	size_t thread_count;
};

/* Once all is read; to be released. */
void serving_look(struct serving *serving, const struct bottleneck *bottleneck);
void serving_release(struct serving *serving);

/* Returns whether the row counts: any thread of a process that served then. */
static inline bool serving_has(const struct wait_row *row)
{
	return row->look.of == WAIT_OF_THREAD && row->look.serves;
}

/* It waits for a lock at a line of the user's. */
static inline bool serving_waits_for_lock(const struct wait_row *row,
					  const struct wait_place *place)
{
	return row->look.state == EVT_PYTHON_LOCK && place->has_line && place->line.is_users &&
	       (place->kind == WAIT_IN_C || place->kind == WAIT_LOCK);
}

/* It has a CPU, or is ready to have one. */
static inline bool serving_computes(enum evt_python_state state)
{
	return state == EVT_PYTHON_RUNS || state == EVT_PYTHON_READY;
}

#endif
