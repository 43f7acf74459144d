/* SPDX-License-Identifier: MIT */
/*
 * When a recording tells what programs did, and when it does not. Reports claim nothing of other times: figures "at the
 * end" are those of known_until_ns(), and curves have gaps where known_within() is false.
 *
 * What is put together here: where the file ends before the run (INTERCEPT_MAX_FILE, a full disk; session/holes.h),
 * holes in it (of several files, one that is missing while its processes live is a gap of the sum), capture ranges and schedules (recorded_time.h), and the end of --time and --step. What the collector reads
 * of a process itself (resident memory, CPU time) is known at these times, too.
 */
#ifndef REPORT_CORE_KNOWN_H
#define REPORT_CORE_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "report/core/analysis.h"

/* After run_read(). */
uint64_t known_until_ns(const struct run *run);

/* Some of these moments are known: a `knows` of struct curve_extent, with the run as its context. */
bool known_within(const void *run, uint64_t from_ns, uint64_t to_ns);

#endif
