/* SPDX-License-Identifier: MIT */
/*
 * Threads that ran one after another: of one process, with names that differ in their numbers only,
 * each begun after the one before had ended. A server that starts a thread for each request has as
 * many chains as requests at a time, and a chain has done what elsewhere one thread does.
 *
 * The main thread of a process is in no chain with others. Threads are indices, of which those
 * without an entry are left out. Owns its array; one thread.
 */
#ifndef REPORT_ADVICE_THREAD_CHAINS_H
#define REPORT_ADVICE_THREAD_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/session/source.h"

struct thread_chains {
	struct thread_chain {
		uint32_t first; /* thread of its chain */
		uint32_t count; /* of threads; in the entry of the first one */
	} * of;                 /* by thread */
};

/* `thread` by index, NULL: left out. Once all is read; to be released. */
void thread_chains_make(struct thread_chains *chains, const struct source_thread *const *thread,
			size_t count);
void thread_chains_release(struct thread_chains *chains);

#endif
