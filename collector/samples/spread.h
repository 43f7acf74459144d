/* SPDX-License-Identifier: MIT */
/*
 * Distributes the CPU time that a thread used between the samples of one frame.
 *
 * The thread's clock tells exactly how much that is; the samples that found it on a CPU tell
 * where. Each moment of that CPU time was as likely as any other to be sampled. So each of these
 * samples gets the same part, by its weight, however much time passed before it.
 */
#ifndef COLLECTOR_SAMPLES_SPREAD_H
#define COLLECTOR_SAMPLES_SPREAD_H

#include <stdint.h>

#include "collector/samples/samples.h"

/*
 * Takes `count` samples of one thread in the order of time and the CPU time in each, and sets the
 * CPU time that each stands for. Returns what they do not stand for, in us, for the next call:
 * all of it if none has a weight, a part if their weights sum to less than one sample.
 */
uint64_t spread_cpu(struct sample *sample, uint32_t count);

/*
 * The same for all samples that wait, which are sorted by stream. What is left of a thread waits
 * with it.
 */
void spread_samples(struct samples *samples);

/*
 * Returns the thread that has this stream, or NULL. The search begins at *next, which moves behind
 * it.
 */
struct sampled_thread *samples_thread_of_stream(struct samples *samples, uint32_t stream,
						uint32_t *next);

#endif
