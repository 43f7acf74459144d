/* SPDX-License-Identifier: MIT */
/*
 * Gives a thread its log. Logs are counted before one is mapped. Following a log is inlined from
 * the header.
 */
#include "preload/stacks/ahead.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/stacks/pages.h"

static _Atomic uint32_t logs;

/*
 * If a signal handler interrupts this and gets a log too, one of them is lost. The count bounds
 * such losses as well.
 */
void ahead_begin(struct ahead *ahead)
{
	uint32_t *log = NULL;

	ahead->walks = 0; /* a thread that gets no log asks again later */
	if (atomic_fetch_add_explicit(&logs, 1, memory_order_relaxed) < AHEAD_LOGS_MAX)
		log = pages_map(AHEAD_LOG_ENTRIES * sizeof(*log));
	if (log)
		ahead->log = log;
	else
		atomic_fetch_sub_explicit(&logs, 1, memory_order_relaxed);
}
