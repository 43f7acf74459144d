/* SPDX-License-Identifier: MIT */
/*
 * At which times a recording tells what programs did. Reports say nothing about other times:
 * figures "at the end" are those of known_until_ns(), and curves have gaps where known_within() is
 * false.
 *
 * The following are combined: files that end before the run (INTERCEPT_MAX_FILE, a full disk;
 * session/holes.h), holes in files (if there are several files, a missing one is a gap in the sum
 * while its processes are alive), capture ranges and schedules (recorded_time.h), and the end of
 * --time and --step. What the collector itself reads about a process (resident memory, CPU time) is
 * also known only at these times.
 */
#ifndef REPORT_CORE_KNOWN_H
#define REPORT_CORE_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "report/core/analysis.h"

/* To be called after run_read(). */
uint64_t known_until_ns(const struct run *run);

/*
 * Returns whether a part of [from, to) is known. It is a `knows` of struct curve_extent, with the
 * run as its context.
 */
bool known_within(const void *run, uint64_t from_ns, uint64_t to_ns);

#endif
