/* SPDX-License-Identifier: MIT */
/*
 * Prints what the collector could not do, in one line per family of processes, as soon as it is
 * known. The collector itself has no terminal, and many programs (all of coreutils) have closed
 * theirs by the time our exit handler runs.
 *
 * Any thread. errno is preserved; no lock, no allocation.
 */
#ifndef PRELOAD_RECORD_TROUBLE_H
#define PRELOAD_RECORD_TROUBLE_H

#include <stdbool.h>

#include "collector/region/region.h"

/* This process's region, and once more when it has moved. */
void trouble_watch(struct region_header *region);

/* Says what is known by now: from slow paths, below malloc() too. A few loads when there is nothing. */
void trouble_look(void);

/* Waits, a second at most, for the collector to say how its start went; true when its file is open. */
bool trouble_await_start(void);

/* Standard error is about to be closed: waits as long as the exit handler would, and says it. */
void trouble_look_last(void);

/* Whether there is no such process (any more); in another pid namespace the number may be nobody's. */
bool trouble_collector_is_gone(const struct region_header *region);

/* At the end. `collector_moves`: what process_end() returned. */
void trouble_report(bool collector_moves);

#endif
