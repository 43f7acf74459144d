/* SPDX-License-Identifier: MIT */
/*
 * Windows of time with detail (INTERCEPT_BUDGET) of processes that have no steps. After the first
 * 30 s each block of half a second is drawn by the hash of its number, so nothing periodic is
 * missed. Where each window begins and ends is recorded here (detail_asked): a process notices at
 * its next hook, which may be much later.
 *
 * Without steps there is nothing to compare, so what detail costs is reckoned: WINDOW_NS_OF_WORD
 * for each word that the process writes into its rings. That is what the words of an operator cost,
 * which are the dearest.
 *
 * A source (core/source.h). One thread.
 */
#ifndef COLLECTOR_DRAIN_TIME_WINDOWS_H
#define COLLECTOR_DRAIN_TIME_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/processes/processes.h"

#define WINDOW_NS 500000000ull
#define WINDOW_NS_OF_WORD 25u

/* Returns whether the block is drawn if `share` of all are (1 / 2^32). */
bool time_window_is_drawn(uint64_t block, uint32_t share);
/*
 * Looks at all processes: `now_ns` is the time of the file. Returns how long nothing will change.
 */
uint64_t time_windows_take(struct processes *processes, struct common *common, uint64_t now_ns);

#endif
