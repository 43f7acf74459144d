/* SPDX-License-Identifier: MIT */
/*
 * Resident memory of the processes over time, as the kernel counts it: event process_memory, about
 * ten times a second for each process, and only if it has changed by MEMORY_STEP_BYTES or a
 * hundredth.
 *
 * A look costs some 20 us per process and may take a hundredth of the time. With more processes it
 * happens less often, but at least every MEMORY_PAUSE_MAX_NS. What /proc does not tell is left out.
 * One thread.
 */
#ifndef COLLECTOR_PROCESSES_MEMORY_SAMPLES_H
#define COLLECTOR_PROCESSES_MEMORY_SAMPLES_H

#include <stdint.h>

#include "collector/processes/processes.h"

#define MEMORY_PAUSE_MIN_NS 100000000ull
#define MEMORY_PAUSE_MAX_NS 10000000000ull
#define MEMORY_STEP_BYTES (128u << 10)

struct memory_samples {
	uint64_t next_ns; /* steady time of the next look */
};

/* Samples all living processes, if it is time. */
void memory_samples_take(struct memory_samples *samples, struct processes *processes,
			 struct common *common, uint64_t steady_ns);

/* The process is about to end: records its current memory, however little has changed. */
void memory_sample_last(struct common *common, struct process *process, uint64_t now_ns);

/* Returns the pause after a look that took `spent_ns`. */
uint64_t memory_samples_pause_ns(uint64_t spent_ns);

#endif
