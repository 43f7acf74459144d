/* SPDX-License-Identifier: MIT */
/*
 * Makes samples start on time. A sample that can only start when another thread leaves the CPU
 * sees that thread, and the threads that it wakes, at such calls too often. So timers are made
 * exact and time slices short; Linux 6.12 and newer then give a thread its CPU at once. Where
 * that is refused or does not work samples are late, and this tells so.
 */
#ifndef COLLECTOR_SAMPLES_PROMPT_H
#define COLLECTOR_SAMPLES_PROMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/samples/thread_look.h"

struct prompt {
	struct thread_files own;
	uint64_t
		ready_ns; /* that the calling thread had waited for CPUs by the end of its last look */
};

/* For the calling thread. */
void prompt_begin(struct prompt *prompt);
void prompt_end(struct prompt *prompt);

/* During a look: since the one before it had to wait for a CPU until another thread gave one up. False where the kernel does not tell. */
bool prompt_is_late(struct prompt *prompt);
/* At its end. */
void prompt_rest(struct prompt *prompt);

/* CLOCK_MONOTONIC */
uint64_t prompt_now_ns(void);
/* CPU time of the calling thread */
uint64_t prompt_cpu_ns(void);
/* Half of the period to one and a half. */
uint64_t prompt_vary(uint64_t *random, uint64_t period_ns);

#endif
