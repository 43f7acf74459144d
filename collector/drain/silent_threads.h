/* SPDX-License-Identifier: MIT */
/*
 * When threads began that have recorded nothing so far. A thread whose first record is also its
 * last may be gone from /proc when the record is read; what was seen of it earlier tells how long
 * it lived.
 *
 * Not seen: threads that live for less than the time between two looks, and processes with more
 * threads than SILENT_THREADS_MAX. One thread.
 */
#ifndef COLLECTOR_DRAIN_SILENT_THREADS_H
#define COLLECTOR_DRAIN_SILENT_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/processes/processes.h"

#define SILENT_THREADS_MAX 512u /* of all processes */

struct silent_threads {
	struct silent_thread {
		uint32_t pid, tid;
		uint32_t look;             /* at which it was last there */
		uint64_t born_ns, tick_ns; /* as in struct thread_facts */
	} thread[SILENT_THREADS_MAX];
	uint32_t count, look;
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

/* Forgets the threads of a process that has ended. */
void silent_threads_forget(struct silent_threads *silent, uint32_t pid);

#endif
