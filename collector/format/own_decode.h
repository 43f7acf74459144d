/* SPDX-License-Identifier: MIT */
/*
 * Decodes columns that belong to one field of one event, a column at a time. Such events wait
 * until there are enough of them; then all values of one field are read, then those of the next.
 * The position in the column stays in a register, and the branch on a number's length is
 * predicted by the previous one. Private to the reader of blocks.
 */
#ifndef COLLECTOR_FORMAT_OWN_DECODE_H
#define COLLECTOR_FORMAT_OWN_DECODE_H

#include "collector/format/block_decode.h"

/*
 * True if everything that is read of the event is in columns of its own, so that the event may
 * wait.
 */
bool own_may_wait(const struct event_plan *plan);

/* True if every word of the event is read, or is its caller. */
bool own_fills(const struct event_plan *plan);

/*
 * Takes an event whose words will be filled by the next own_fill() at the latest. Words that are
 * not read must be zero.
 */
void own_fill(struct decoder *d, uint32_t id);
static inline void own_wait(struct decoder *d, uint32_t id, uint64_t *words)
{
	struct own_rows *rows = &d->own[id];

	rows->words[rows->count++] = words;
	if (rows->count == OWN_ROWS)
		own_fill(d, id);
}

/* For all events: call at the end of a block. */
void own_fill_all(struct decoder *d);

/* Reads one value now. */
void own_get(struct decoder *d, const struct plan_step *step, uint64_t *word);

#endif
