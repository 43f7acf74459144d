/* SPDX-License-Identifier: MIT */
/*
 * Earlier runs at a name, grouped into sessions: the numbered files (run.evt.1) and the files
 * that their ranks and children have written beside them. A session that exceeds INTERCEPT_KEEP
 * is removed as a whole.
 *
 * Only files whose names one of our writers has given them are removed: a session in which the
 * user has named a file stays. The caller holds the lock on the folder.
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
