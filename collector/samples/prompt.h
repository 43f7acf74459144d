/* SPDX-License-Identifier: MIT */
/*
 * Looks that come by the clock. One that comes when others leave a CPU sees them, and whom they wake, at these calls more often than
 * they are there. So timers are to be exact, and slices short, with which Linux 6.12 and newer lets a thread have its CPU
 * at once. Where that is refused, looks are late.
 */
#ifndef COLLECTOR_SAMPLES_PROMPT_H
#define COLLECTOR_SAMPLES_PROMPT_H

/* For the calling thread. */
void prompt_begin(void);

#endif
