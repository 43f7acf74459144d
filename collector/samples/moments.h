/* SPDX-License-Identifier: MIT */
/*
 * Which threads had a CPU at the moment when their stacks were read. A sample of CPU time counts
 * if its thread had one then; where that cannot be told, it counts half. One thread.
 */
#ifndef COLLECTOR_SAMPLES_MOMENTS_H
#define COLLECTOR_SAMPLES_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/samples/samples.h"

/* Around the read of a process's memory: the shorter the time between these two, the better. */
void moments_begin(struct samples *samples, const struct sampled_process *sampled);
void moments_end(struct samples *samples, const struct sampled_process *sampled);
/*
 * Around each later read of the stack of one thread, which is another moment: what was counted
 * around the first one says nothing of it. `of` is a struct moments_again.
 */
struct moments_again {
	struct samples *samples;
	struct sampled_thread *thread;
	const struct code_reader *reader;
};
void moments_begin_again(void *of);
void moments_end_again(void *of);

/* False: the thread waited all the time, so its stack is the one of its wait. */
bool moments_has_run(const struct samples *samples, const struct sampled_thread *thread);

/* What the thread's last sample says of CPU time: its state, weight and `is_unclear`. */
void moments_judge(struct samples *samples, struct sampled_thread *thread,
		   const struct code_reader *reader);

#endif
