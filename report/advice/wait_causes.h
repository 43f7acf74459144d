/* SPDX-License-Identifier: MIT */
/*
 * What the loop's thread waited for outside of operators, in whole settled steps; where there are
 * no steps, the main thread of the process that told most, over the run. By cause: a kind of wait,
 * and for files and sockets the system call. With each cause goes where it waited, who had the lock
 * where that is known, and which lines of the user's other threads ran at the same time.
 */
#ifndef REPORT_ADVICE_WAIT_CAUSES_H
#define REPORT_ADVICE_WAIT_CAUSES_H

#include "report/advice/line_sums.h"
#include "report/advice/wait_looks.h"
#include "report/advice/wait_places.h"

#define WAIT_CAUSES_MAX 64u /* kinds, states and calls together are fewer */
#define WAIT_LOOKS_MIN 20u  /* what rests on fewer is a guess */

struct bottleneck;

/* Another thread that was at work while this wait lasted, in code of the user's. */
struct wait_beside {
	uint32_t thread;
	struct line_sums lines;
};

#define WAIT_WORKS_MAX 16u /* work_places.def has fewer */

/* What a thread does in the library, running or waiting. */
struct wait_works {
	struct wait_work {
		const struct known_work *work;
		uint64_t ns, looks;
	} work[WAIT_WORKS_MAX];
	size_t count;
};

struct wait_cause {
	enum wait_kind kind;
	enum evt_python_state state;
	uint32_t call; /* as of struct wait_look; 0 where the cause is not by call */
	uint64_t ns, looks;
	struct line_sums lines;  /* the user's, that waited */
	struct line_sums owners; /* the user's, of threads that are known to have had the lock */
	uint32_t owner;          /* tid of the last of them */
	struct line_sums
		/*
		 * of all that were at work meanwhile; where it waits for a DataLoader, of its
		 * workers
		 */
		others;
	struct line_sums locked; /* of all that waited for a lock in the user's own line */
	struct wait_beside *beside;
	size_t beside_count, beside_room;
	uint64_t gil_ns, running_ns; /* of those at work, together: waited for the GIL; ran */
	uint64_t computed_ns;        /* all other threads were on a CPU, at any place */
	struct wait_works meanwhile; /* of that, known work of the library */
};

struct wait_causes {
	struct wait_works works;  /* outside of operators */
	struct wait_works loader; /* where the thread itself loads its batches */
	uint64_t loader_ns;       /* of it, in the DataLoader */
	struct wait_cause cause[WAIT_CAUSES_MAX];
	size_t count;
	uint64_t all_ns, all_looks;          /* of that thread, whatever it did */
	uint64_t outside_ns;                 /* of it, outside of operators */
	uint64_t ready_ns, outside_ready_ns; /* of these, ready to run and without a CPU */
	bool is_of_steps;
};

/* Once all is read; to be released. */
void wait_causes_look(struct wait_causes *causes, const struct bottleneck *bottleneck);
void wait_causes_release(struct wait_causes *causes);

/* The cause with most time of that kind; NULL: there is none. */
const struct wait_cause *wait_causes_of(const struct wait_causes *causes, enum wait_kind kind);
/* Adds time of a thread in such work. */
void wait_works_put(struct wait_works *works, const struct known_work *work, uint64_t ns,
		    uint64_t looks);
/* The work with most time; NULL: there is none. */
const struct wait_work *wait_works_most(const struct wait_works *works);
/* The thread that was at work for most of the wait; NULL: none was. */
const struct wait_beside *wait_cause_beside(const struct wait_cause *cause);

/* It waits for whoever asks for something: a server that has nothing to do. */
bool wait_cause_is_idle(const struct wait_cause *cause);
bool wait_is_idle(enum wait_kind kind, uint32_t call);
/* It waits for a connection: what only a server does. `call` as of struct wait_look. */
bool wait_is_accept(uint32_t call);
/* It waits until a file is on the disk. */
bool wait_cause_is_sync(const struct wait_cause *cause);

/* "fsync()", "a lock", "time.sleep()": what it waits for, in words. */
const char *wait_cause_text(const struct wait_cause *cause, char text[64]);
/* The same of any thread that waits; `call` as of struct wait_look. */
const char *wait_words(enum wait_kind kind, enum evt_python_state state, uint32_t call,
		       char text[64]);

#endif
