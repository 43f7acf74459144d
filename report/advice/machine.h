/* SPDX-License-Identifier: MIT */
/* The machine that a run was recorded on. */
#ifndef REPORT_ADVICE_MACHINE_H
#define REPORT_ADVICE_MACHINE_H

#include "report/advice/bottleneck.h"

/* Returns the number of CPUs; 0 if it was not reported or there were several machines. */
unsigned long machine_cores(const struct bottleneck *bottleneck);
bool machine_is_one(const struct bottleneck *bottleneck);

/* The main thread of the process that told most: how long it ran, or could and had no CPU. */
struct machine_thread {
	uint64_t life_ns, runnable_ns;
	uint64_t running_ns; /* 0: not known */
};
/*
 * Returns false if it is not known: the thread was not looked at, its life was only a moment, or
 * the recording is of several machines or a part of the run.
 */
bool machine_main_thread(const struct bottleneck *bottleneck, struct machine_thread *ret_thread);

#endif
