/* SPDX-License-Identifier: MIT */
/*
 * Steps and detail windows of a process, as its records are drained: passes them to its steering.h
 * and writes the share that is wanted into its entry of the region. Does nothing without
 * INTERCEPT_BUDGET, or if that gives a fixed share.
 */
#ifndef COLLECTOR_PROCESSES_PROCESS_STEPS_H
#define COLLECTOR_PROCESSES_PROCESS_STEPS_H

#include "collector/processes/processes.h"

/* Parts of the family's word: SETTINGS_BUDGET_* of preload/settings/settings.h. */
#define BUDGET_WORD_FIRST (1ull << 32)
#define BUDGET_WORD_SHARE (1ull << 33)
#define BUDGET_WORD_MS_SHIFT 34

/* All has detail for so long. */
static inline uint64_t budget_word_first_ns(uint64_t word)
{
	return (word >> BUDGET_WORD_MS_SHIFT) * 1000000;
}

/* A record of the process, in the order of its ring: a step, the begin or the end of a window. */
void process_steps_take(struct process *process, struct common *common, uint32_t event,
			uint64_t time_ns);
void process_steps_release(struct process *process);

#endif
