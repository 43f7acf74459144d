/* SPDX-License-Identifier: MIT */
/*
 * What the threads of a server did while it served (serving_time.h): from samples, without its
 * start-up. What advice says of a server are shares of this time.
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
	/* it is one, and more than an event loop: what it did before is left out */
	bool has_clients;
	/* when the first process began to serve, and the end of that; the time between */
	uint64_t since_ns, end_ns, ns;
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
	return row->look.of == WAIT_OF_THREAD && row->look.serves != SERVING_NOT;
}

/* Returns whether the row is left out of the run: it is of a server, and of its start-up or end. */
static inline bool serving_leaves_out(const struct serving *serving, const struct wait_row *row)
{
	return serving->has_clients && !serving_has(row);
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
