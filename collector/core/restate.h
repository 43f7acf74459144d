/* SPDX-License-Identifier: MIT */
/*
 * What a segment of the file has to repeat of the collector's own events, because its events refer
 * to it: processes, threads, modules, facts, lines of Python. Follows the events of the journal
 * that are in the file; what has ended is left out. Names are those of names.h. One thread.
 *
 * Bounded: RESTATE_ROWS_MAX rows of each kind; what found no room is counted.
 */
#ifndef COLLECTOR_CORE_RESTATE_H
#define COLLECTOR_CORE_RESTATE_H

#include <stdint.h>

#include "collector/core/names.h"
#include "collector/format/block.h"

#define RESTATE_ROWS_MAX (1u << 17)

struct restate_rows {
	uint64_t *word; /* `stride` a row: its time, then the event's fields */
	uint32_t count, room, stride;
};

struct restate {
	struct restate_rows rows[EVT_ID_LIMIT]; /* most are empty */
	struct {
		uint64_t *slot; /* ids of python_line that are in `rows`; 0: empty */
		uint32_t slots, count;
	} lines;
	uint64_t left_out;
};

void restate_release(struct restate *restate);

/* The event is in the file. */
void restate_take(struct restate *restate, const struct journal_event *event);

/*
 * Puts all rows, and the names that they use, into blocks of stream 0. Returns false if the frame
 * has no room for all of them.
 */
bool restate_write(const struct restate *restate, struct names *names, struct frame_writer *fw);

/*
 * Puts the definitions of all names that fields of an event are into the open block, unless this
 * segment has them.
 */
bool restate_names(struct names *names, struct frame_writer *fw, uint32_t event,
		   const uint64_t *words);

#endif
