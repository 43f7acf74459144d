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

/* Sets this process's region. Called again when the region has moved. */
void trouble_watch(struct region_header *region);

/*
 * Prints what is known by now. For slow paths, below malloc() too. Costs a few loads if there is
 * nothing to print.
 */
void trouble_look(void);

/*
 * Waits at most a second until the collector has reported how its start went. True if its file is
 * open.
 */
bool trouble_await_start(void);

/*
 * Standard error is about to be closed: waits as long as the exit handler would, and prints the
 * message.
 */
void trouble_look_last(void);

/*
 * True if the collector's process does not exist (any more). In another pid namespace the number
 * may belong to no process.
 */
bool trouble_collector_is_gone(const struct region_header *region);

/* Prints the message at the end. `collector_moves`: what process_end() returned. */
void trouble_report(bool collector_moves);

#endif
