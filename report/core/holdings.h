/* SPDX-License-Identifier: MIT */
/*
 * What processes hold of things (a device's memory, a row's), until they end: nobody says what a process gives back
 * as it ends, and it holds nothing after it. What all hold at one time is for the owner to add up: it is called for
 * what has gone.
 *
 * Asked before a sum rises. Memory grows with processes and things. One thread.
 */
#ifndef REPORT_CORE_HOLDINGS_H
#define REPORT_CORE_HOLDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/session/source.h"

#define HOLDING_NONE UINT32_MAX

struct holding {
	const struct source_process *process;
	uint64_t thing, bytes;
	uint32_t next; /* another of the process */
	bool is_gone;  /* the process has ended: it holds nothing more */
};

/* Zeros, and holdings_init(). */
struct holdings {
	const struct source *source;
	struct holding *holding;
	size_t count, room;
	const struct source_process **running; /* that hold something and are not gone */
	size_t running_count, running_room;
	struct map places; /* hash of process and thing to a place in `holding` */
	struct map first;  /* process to the first of its own */
	uint64_t ends; /* processes that had ended at the last look, when all of them were over */
};

/* `source` outlives it. NULL, as in tests: nothing ends. */
void holdings_init(struct holdings *holdings, const struct source *source);
void holdings_release(struct holdings *holdings);
/* The place of what the process holds of the thing; of NULL it is HOLDING_NONE. */
uint32_t holdings_place(struct holdings *holdings, const struct source_process *process,
			uint64_t thing);
/*
 * Says of each thing what processes that ended before `time_ns` held of it at their ends. The bytes are 0 from then on, and
 * what is told of them later is to be passed over (is_gone).
 */
void holdings_drop_ended(struct holdings *holdings, uint64_t time_ns,
			 void (*drop)(void *owner, const struct holding *gone), void *owner);

#endif
