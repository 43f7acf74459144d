/* SPDX-License-Identifier: MIT */
/*
 * What a place of Python, at which a thread waits, says of the wait: the user's own line, what for by the library's function
 * (wait_places.def), what it does there that is known to cost time, and whether it is inside of a callback of an event loop or of a DataLoader worker's sample.
 *
 * A place of a process that was forked has its parent's frames around its own. So the walk from the innermost frame outwards ends at the
 * function that such a process begins with.
 */
#ifndef REPORT_ADVICE_WAIT_PLACES_H
#define REPORT_ADVICE_WAIT_PLACES_H

#include "report/advice/step_lines.h"
#include "report/samples/own_places.h"

enum wait_kind {
	WAIT_IN_C, /* the user's own line waits, in a function that is no Python */
	WAIT_LOCK,
	WAIT_QUEUE,
	WAIT_PIPE,
	WAIT_LOADER, /* a batch of a DataLoader, which its workers make */
	WAIT_FUTURE,
	WAIT_EVENT,  /* threading.Event, Condition, Barrier */
	WAIT_THREAD, /* its end */
	WAIT_CHILD,  /* a process */
	WAIT_SELECT,
	WAIT_IDLE,    /* nothing is to be done: a pool's thread, an event loop, a server */
	WAIT_LIBRARY, /* another library waits, at the user's line */
	WAIT_KINDS,
};

/* Of Python's library, that runs at the user's line (work_places.def). */
struct known_work {
	const char *file, *function; /* "": any */
	const char *id;              /* functions of the same work have the same */
	const char *words, *todo;
};

struct wait_place {
	enum wait_kind kind;
	const struct known_work *work; /* NULL: none that is known */
	bool is_in_callback;           /* of an event loop: not in its select() */
	bool is_in_loop;               /* the thread runs an event loop */
	bool is_worker;                /* of a DataLoader */
	bool is_in_sample; /* the worker makes one; else it has nothing to do, or sends */
	bool has_line;
	struct step_line
		line; /* without ns and looks; the user's own one, else the innermost of a worker's sample */
};

/* SAMPLE_TORN_PLACE, 0 and places that were lost have no line and are WAIT_IN_C. */
void wait_place_look(const struct samples *samples, struct own *own, uint64_t key,
		     struct wait_place *ret_place);

#endif
