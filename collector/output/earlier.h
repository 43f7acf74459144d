/* SPDX-License-Identifier: MIT */
/*
 * Earlier runs at a name, as sessions: the numbered files (run.evt.1), and what their ranks and children have written
 * beside. What is too much goes as a whole.
 *
 * Only files whose names a writer of ours has given them are removed: a session of which the user has named a file stays.
 * Whoever calls holds the lock on the folder.
 */
#ifndef COLLECTOR_OUTPUT_EARLIER_H
#define COLLECTOR_OUTPUT_EARLIER_H

#include "collector/output/rotation.h"

/*
 * Once the file of this run, `bytes` long, is complete: removes the sessions that are more than are to be kept, the
 * oldest first. But a large one does not give way to one of a fraction of its size, be that the new one or one that
 * is kept, and none that has a process or a writer goes.
 */
void earlier_prune(const struct rotation *rotation, uint64_t bytes);

/* The recordings of this session in the folder of `output`, whatever their names; 0: too many to look at. */
unsigned int earlier_count_own(const struct rotation *rotation);

#endif
