/* SPDX-License-Identifier: MIT */
/*
 * Who holds what others wait for at one sample: the GIL, and mutexes of the C library. Runs
 * after all threads of the process have been sampled. One thread.
 */
#ifndef COLLECTOR_SAMPLES_HOLDERS_H
#define COLLECTOR_SAMPLES_HOLDERS_H

#include "collector/samples/samples.h"

/* A thread that holds its interpreter's lock. */
struct holder {
	uint64_t address, gil; /* of its state in the process, and of that lock */
	uint32_t tid;
};
void holders_note_gil(struct samples *samples, const struct sampled_process *sampled,
		      const struct holder *holder);

void holders_note_mutexes(struct samples *samples, struct sampled_process *sampled);

#endif
