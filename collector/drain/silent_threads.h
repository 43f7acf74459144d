/* SPDX-License-Identifier: MIT */
/*
 * When threads began that have recorded nothing so far, and what the scheduler has counted for
 * them. A thread whose first record is also its last may be gone from /proc when the record is
 * read; what was seen of it earlier tells how long it lived, and how long it waited for a CPU.
 *
 * Not seen: threads that live for less than the time between two looks, and processes with more
 * threads than SILENT_THREADS_MAX. One thread.
 */
#ifndef COLLECTOR_DRAIN_SILENT_THREADS_H
#define COLLECTOR_DRAIN_SILENT_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/drain/thread_sched.h"
#include "collector/processes/processes.h"

#define SILENT_THREADS_MAX 512u /* of all processes */

struct silent_threads {
	struct silent_thread {
		uint32_t pid, tid;
		uint32_t look;                   /* at which it was last there */
		uint64_t born_ns, tick_ns;       /* as in struct thread_facts */
		bool records;                    /* it is no longer silent */
		struct thread_sched first, last; /* last.looks 0: nothing was read */
	} thread[SILENT_THREADS_MAX];
	uint32_t count, look;
	uint32_t visit; /* where the next visit continues */
};

/*
 * Reads when a thread began: as in struct thread_facts. Returns false if it is unknown, for example
 * because the thread has ended.
 */
bool thread_born_read(const struct common *common, uint32_t pid, uint32_t tid,
		      uint64_t *ret_born_ns, uint64_t *ret_tick_ns);

/*
 * Notes the threads of a process that are new, and forgets those that have ended, if it has more or
 * fewer threads than at the last look, or if `all`.
 */
void silent_threads_look(struct silent_threads *silent, const struct common *common,
			 struct process *process, bool all);

/* Returns false if the thread was not seen. */
bool silent_threads_born(struct silent_threads *silent, uint32_t pid, uint32_t tid,
			 uint64_t *ret_born_ns, uint64_t *ret_tick_ns);

/*
 * Reads what the scheduler has counted for threads that are silent: of a few, in turn. To be called
 * after the looks.
 */
void silent_threads_visit(struct silent_threads *silent);
/*
 * The thread records from now on. Returns what was read first and last; false if that is nothing.
 */
bool silent_threads_take_sched(struct silent_threads *silent, uint32_t pid, uint32_t tid,
			       struct thread_sched ret_seen[2]);

/* Forgets the threads of a process that has ended. */
void silent_threads_forget(struct silent_threads *silent, uint32_t pid);

#endif
