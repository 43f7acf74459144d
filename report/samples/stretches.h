/* SPDX-License-Identifier: MIT */
/*
 * What each Python thread was seen in, one stretch of time after the other: looks that follow each other and saw the same
 * stack doing the same are one. A look stands for the time since the one before, of at most SAMPLE_WAIT_MAX_NS; what comes
 * before the first is not known.
 *
 * Who takes stretches says what for, in options; each is given out when the next one begins, or at once, in the order of their ends
 * within a thread. Places are those of the analysis `samples`. Memory grows with threads. One thread.
 */
#ifndef REPORT_SAMPLES_STRETCHES_H
#define REPORT_SAMPLES_STRETCHES_H

#include "report/core/analysis.h"
#include "report/samples/sample_events.h"

struct stretch {
	const struct source_thread *thread;
	const struct source_process *process;
	uint64_t place; /* as of samples_place(), 0: no Python function, or SAMPLE_TORN_PLACE */
	enum evt_python_state state;
	uint64_t from_ns, to_ns, looks;
};

struct stretches_options {
	void (*take)(void *context, const struct stretch *stretch);
	void *context;
	bool is_each_look; /* each as it comes, although the one before saw the same */
};

struct stretches;
ANALYSIS(stretches, struct stretches)

/* "runs", "waits for the GIL" and so on. */
const char *stretch_state_text(enum evt_python_state state);

#endif
