/* SPDX-License-Identifier: MIT */
/*
 * What a Python place at which a thread waits tells about the wait: the user's own line; what it
 * waits for, by the library's function (wait_places.def); whether it does something there that is
 * known to cost time; and whether it is inside of a callback of an event loop or of a DataLoader
 * worker's sample.
 *
 * A place in a forked process has its parent's frames around its own. So the walk from the
 * innermost frame outwards ends at the function with which such a process begins.
 */
#ifndef REPORT_ADVICE_WAIT_PLACES_H
#define REPORT_ADVICE_WAIT_PLACES_H

#include "report/advice/step_lines.h"
#include "report/samples/own_places.h"

enum wait_kind {
	WAIT_IN_C, /* the user's own line waits, in a function that is not Python */
	WAIT_LOCK,
	WAIT_QUEUE,
	WAIT_PROCESS_QUEUE, /* that another process fills */
	WAIT_PIPE,
	WAIT_LOADER, /* a batch of a DataLoader, which its workers make */
	WAIT_FUTURE,
	WAIT_EVENT,      /* threading.Event, Condition, Barrier */
	WAIT_THREAD,     /* the end of a thread */
	WAIT_CHILD,      /* a process */
	WAIT_RANKS,      /* other ranks of the job, in a collective */
	WAIT_CHECKPOINT, /* the file system, for a file of weights */
	WAIT_GPU,        /* a call of CUDA; from the calls, and not from the place */
	WAIT_SELECT,
	WAIT_IDLE,    /* no work: a pool's thread, an event loop, a server */
	WAIT_LIBRARY, /* another library waits, at the user's line */
	WAIT_KINDS,
};

/* A function of Python's library that works at the user's line (work_places.def). */
struct known_work {
	const char *file, *function; /* "": any */
	const char *id;              /* functions for the same work have the same id */
	const char *words, *todo;
};

struct wait_place {
	enum wait_kind kind;
	const struct known_work *work; /* NULL: none is known */
	bool is_in_callback;           /* of an event loop: not in its select() */
	bool is_in_loop;               /* the thread runs an event loop */
	bool is_in_cell;               /* of a notebook, which its kernel's loop runs */
	bool is_worker;                /* of a DataLoader */
	bool is_server;                /* in a server's function that takes connections */
	bool is_helper;                /* the same, but of the program's own processes */
	bool is_in_pool;               /* a thread of a pool that runs tasks */
	bool is_in_task;    /* the thread of a pool runs one: it does not wait for work */
	bool is_downstream; /* in a client of another server (place_roles.def) */
	bool is_in_sample;  /* the worker makes a sample; false: it has no work, or sends */
	bool has_line;
	uint64_t code; /* key of the line's function */
	struct step_line
		/*
		 * without ns and looks; the user's own line, otherwise the innermost one of a
		 * worker's sample
		 */
		line;
};

/* SAMPLE_TORN_PLACE, 0 and lost places have no line and are WAIT_IN_C. */
void wait_place_look(const struct samples *samples, struct own *own, uint64_t key,
		     struct wait_place *ret_place);

#endif
