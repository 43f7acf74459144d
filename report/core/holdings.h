/* SPDX-License-Identifier: MIT */
/*
 * What processes hold of things (memory of a device, or of a row) until they end. No event says
 * what a process frees when it ends, but it holds nothing afterwards. The owner of this object adds
 * up what all processes hold at one time: it is called for each holding that ends with its process.
 *
 * holdings_drop_ended() must be called before a sum rises. Memory grows with processes and things.
 * To be used by one thread.
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
	uint32_t next; /* the next holding of the process */
	bool is_gone;  /* the process has ended and holds nothing any more */
};

/* All zeros, then holdings_init(). */
struct holdings {
	const struct source *source;
	struct holding *holding;
	size_t count, room;
	const struct source_process **running; /* processes that hold something and are not gone */
	size_t running_count, running_room;
	struct map places; /* hash of process and thing to index in `holding` */
	struct map first;  /* process to the first of its holdings */
	/* number of ended processes at the last check, if all of them were handled */
	uint64_t ends;
};

/* `source` must outlive it. NULL, as in tests: no process ends. */
void holdings_init(struct holdings *holdings, const struct source *source);
void holdings_release(struct holdings *holdings);
/* Returns the index of what the process holds of the thing; process NULL: HOLDING_NONE. */
uint32_t holdings_place(struct holdings *holdings, const struct source_process *process,
			uint64_t thing);
/*
 * Reports what each process that ended before `time_ns` held of each thing when it ended. The bytes
 * are 0 from then on, and later events about the holding are to be ignored (is_gone).
 */
void holdings_drop_ended(struct holdings *holdings, uint64_t time_ns,
			 void (*drop)(void *owner, const struct holding *gone), void *owner);

#endif
