/* SPDX-License-Identifier: MIT */
/*
 * Earlier runs with the same output name, grouped into sessions: the numbered files (run.evt.1) and
 * the files that their ranks and children have written beside them. Sessions in excess of
 * INTERCEPT_KEEP are removed as a whole.
 *
 * Only files whose names were given by one of our writers are removed: a session in which the user
 * has named a file stays. The caller holds the lock on the folder.
 */
#ifndef COLLECTOR_OUTPUT_EARLIER_H
#define COLLECTOR_OUTPUT_EARLIER_H

#include "collector/output/rotation.h"

/*
 * Call when the file of this run, `bytes` long, is complete. Removes the sessions in excess of the
 * number to keep, oldest first. But a small recording does not displace a much larger one, whether
 * the small one is new or kept. A session that has a process or a writer is not removed.
 */
void earlier_prune(const struct rotation *rotation, uint64_t bytes);

/*
 * Returns the number of this session's recordings in the folder of `output`, whatever their names;
 * 0: too many files to examine.
 */
unsigned int earlier_count_own(const struct rotation *rotation);

#endif
