/* SPDX-License-Identifier: MIT */
/*
 * See ahead.h. Only how a thread gets its log: logs are counted before one is mapped. Following a
 * log is inlined from the header.
 */
#include "preload/stacks/ahead.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/stacks/pages.h"

static _Atomic uint32_t logs;

/* A signal handler that came in between may have got one, too: then one is lost, and bounded as the others are. */
void ahead_begin(struct ahead *ahead)
{
	uint32_t *log = NULL;

	ahead->walks = 0; /* who gets none asks again later */
	if (atomic_fetch_add_explicit(&logs, 1, memory_order_relaxed) < AHEAD_LOGS_MAX)
		log = pages_map(AHEAD_LOG_ENTRIES * sizeof(*log));
	if (log)
		ahead->log = log;
	else
		atomic_fetch_sub_explicit(&logs, 1, memory_order_relaxed);
}
