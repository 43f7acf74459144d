/* SPDX-License-Identifier: MIT */
/*
 * What threads have done so far, together with their helpers on their behalf (helpers/helpers.h).
 * As with core/work.h, the difference of two readings of a thread is what was done in between. The
 * counters of a helper move to its owner at each operator of the helper.
 *
 * Memory grows with threads. To be used by one thread.
 */
#ifndef REPORT_HELPERS_HELPED_WORK_H
#define REPORT_HELPERS_HELPED_WORK_H

#include "report/core/work.h"

struct helped_work;

/*
 * Wants these counters, bits WORK_BIT(); for start() of an analysis. Returns NULL for no counters.
 */
struct helped_work *helped_work_want(struct run *run, uint32_t counters);

/* Over all events, whether they count or not; without counters all zeros. */
struct work helped_work_of_thread(struct helped_work *helped, const struct source_thread *thread);

#endif
