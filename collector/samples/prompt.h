/* SPDX-License-Identifier: MIT */
/*
 * Looks that come by the clock. One that comes when others leave a CPU sees them, and whom they wake, at these calls more often than
 * they are there. So timers are to be exact, and slices short, with which Linux 6.12 and newer lets a thread have its CPU
 * at once. Where that is refused, or another is not put off, looks are late, and this tells.
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
/* Half of the period to one and a half. */
uint64_t prompt_vary(uint64_t *random, uint64_t period_ns);

#endif
