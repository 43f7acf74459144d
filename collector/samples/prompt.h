/* SPDX-License-Identifier: MIT */
/*
 * Makes samples start on time. A sample that can only start when another thread gives up the CPU
 * finds that thread, and the threads that it wakes, at such calls too often. So timers are made
 * exact and time slices short; Linux 6.12 and newer then give the sampler a CPU at once. If that is
 * refused or has no effect, samples are late, and prompt_is_late() says so.
 */
#ifndef COLLECTOR_SAMPLES_PROMPT_H
#define COLLECTOR_SAMPLES_PROMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/samples/thread_look.h"

struct prompt {
	struct thread_files own;
	uint64_t
		ready_ns; /* the calling thread's time in run queues, at the end of its last look */
};

/* Both apply to the calling thread. */
void prompt_begin(struct prompt *prompt);
void prompt_end(struct prompt *prompt);

/*
 * Call this during a look. Returns whether the calling thread had to wait since its previous look
 * until another thread gave up a CPU; false if the kernel does not tell.
 */
bool prompt_is_late(struct prompt *prompt);
/* Call this at the end of a look. */
void prompt_rest(struct prompt *prompt);

/* Returns the time of CLOCK_MONOTONIC. */
uint64_t prompt_now_ns(void);
/* Returns the CPU time of the calling thread. */
uint64_t prompt_cpu_ns(void);
/* Returns a random pause of half the period to one and a half periods. */
uint64_t prompt_vary(uint64_t *random, uint64_t period_ns);

#endif
