/* SPDX-License-Identifier: MIT */
/*
 * What threads waited for, from samples of Python stacks, and what other threads did meanwhile.
 *
 * A look is a sample; it stands for the time since the sample before. Looks of the loop's thread
 * count in whole settled steps, apart from looks of each thread over the whole run. For each look
 * at which the loop's thread waited (without steps: the main thread of a process), the looks of the
 * other threads of its process and of the child processes at the same time are kept beside it: the
 * pairs. A pair says what was seen at the same time, not who waited for whom. The same is done for
 * other threads of a process that serves, while they wait for a result of a pool or a future: for
 * one of them at a time, in a process of few threads.
 *
 * Memory grows with distinct places by thread, with pairs up to WAIT_PAIRS_MAX (those beyond are
 * counted), and with the samples of one step. Threads and processes are indices; times are ns. One
 * thread.
 */
#ifndef REPORT_ADVICE_WAIT_LOOKS_H
#define REPORT_ADVICE_WAIT_LOOKS_H

#include "report/advice/evidence.h"
#include "report/advice/serving_time.h"
#include "report/samples/sample_events.h"

#define WAIT_PAIRS_MAX (1u << 18)

enum wait_of {
	WAIT_OF_STEPS,     /* the loop's thread, in whole settled steps, outside of operators */
	WAIT_OF_LOADER,    /* the same, while it asked a DataLoader for a batch */
	WAIT_OF_OPERATORS, /* the same, in an operator, the optimizer or a call that waits */
	WAIT_OF_THREAD,    /* any thread, over the whole run */
};

struct wait_look {
	enum wait_of of;
	uint32_t thread, process;
	uint32_t call; /* number of the system call plus 1; 0: not known */
	enum evt_python_state state;
	/* sample_place_key(); owner: who had the mutex, or the GIL where it waits for that */
	uint64_t place, owner_place;
	uint32_t owner; /* its tid; 0: not known */
	/* of the process then; once all is read, SERVING_NOT if it is of no time of serving */
	enum serving_stage serves;
};

struct wait_row {
	struct wait_look look;
	uint64_t ns, looks;
	uint64_t samples; /* that these looks came in: a thread that rests has one for many looks */
	uint64_t
		paired_ns; /* of threads other than the main one: time that pairs were looked for */
	uint64_t longest_ns; /* in looks in a row at this place, running or ready to run */
	/* of all that, what came since the last begin or end of a request */
	uint64_t since, since_ns, since_looks, since_samples;
};

struct wait_pair {
	size_t row; /* of who waited */
	uint32_t thread, process;
	enum evt_python_state state;
	uint64_t place;
	uint64_t ns, looks;
};

/* A program that a process started so often. */
struct wait_command {
	uint32_t process, name; /* indices */
	bool by_shell;
	uint64_t count;
};

struct wait_looks {
	struct wait_command *command;
	size_t command_count, command_room;
	struct wait_row *row;
	size_t row_count, row_room;
	struct wait_pair *pair;
	size_t pair_count, pair_room;
	uint64_t pairs_beyond;               /* looks that were left out */
	const struct source_thread **thread; /* by index; NULL: it was not sampled */
	const struct source_process **process;
	size_t thread_room, process_room;
	struct serving_time serving;
	/* a request came, or a thread waited for connections: more than an event loop */
	bool has_clients;
	const struct samples *samples;
};

struct wait_looks_options {
	uint32_t none;
};
ANALYSIS(wait_looks, struct wait_looks)

/* It waits: not on a CPU, not in a queue for one, not for the GIL, and its stack is known. */
static inline bool wait_is_one(enum evt_python_state state)
{
	return state == EVT_PYTHON_LOCK || state == EVT_PYTHON_IO || state == EVT_PYTHON_SLEEP ||
	       state == EVT_PYTHON_CHILD || state == EVT_PYTHON_WAITS;
}

#endif
