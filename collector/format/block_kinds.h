/* SPDX-License-Identifier: MIT */
/*
 * The kinds of a block's records: which records are read, and how many there are of each event
 * id. Nothing is read of most records, so this is their whole cost. Private to the reader of
 * blocks.
 */
#ifndef COLLECTOR_FORMAT_BLOCK_KINDS_H
#define COLLECTOR_FORMAT_BLOCK_KINDS_H

#include "collector/format/block_decode.h"

/* Call when the kinds of the frame, and the plan for reading them, are known. */
void kinds_plan(struct decoder *d);

/*
 * Fills records_of, visited, visited_heap and heap_records from the kind numbers of the block.
 * EVT_CORRUPT: a number belongs to no kind of the frame.
 */
int kinds_list(struct decoder *d);

#endif
