/* SPDX-License-Identifier: MIT */
/*
 * What threads, and their helpers on their behalf (helpers/helpers.h), have done so far. As with
 * core/work.h, subtract two readings of a thread to get what was done in between. The counters of
 * a helper move to its owner at each operator of the helper.
 *
 * Memory grows with threads. One thread.
 */
#ifndef REPORT_HELPERS_HELPED_WORK_H
#define REPORT_HELPERS_HELPED_WORK_H

#include "report/core/work.h"

struct helped_work;

/* These counters, bits WORK_BIT(); for start() of an analysis. NULL for no counters. */
struct helped_work *helped_work_want(struct run *run, uint32_t counters);

/* Of all events, whether they count or not; without counters all zeros. */
struct work helped_work_of_thread(struct helped_work *helped, const struct source_thread *thread);

#endif
