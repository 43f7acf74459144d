/* SPDX-License-Identifier: MIT */
/*
 * The stack of each Python thread over time, as a sequence of stretches: consecutive samples with
 * the same stack and state form one stretch. A sample stands for the time since the previous one,
 * of at most SAMPLE_WAIT_MAX_NS. The time before the first sample is not known.
 *
 * A user of stretches states in the options what for. Each stretch is delivered when the next one
 * begins, or at once, in the order of their ends within a thread. Places are those of the analysis
 * `samples`. Memory grows with threads. To be used by one thread.
 */
#ifndef REPORT_SAMPLES_STRETCHES_H
#define REPORT_SAMPLES_STRETCHES_H

#include "report/core/analysis.h"
#include "report/samples/sample_events.h"

struct stretch {
	const struct source_thread *thread;
	const struct source_process *process;
	uint64_t place; /* as for samples_place(); 0: no Python function, or SAMPLE_TORN_PLACE */
	enum evt_python_state state;
	uint64_t from_ns, to_ns, looks;
};

struct stretches_options {
	void (*take)(void *context, const struct stretch *stretch);
	void *context;
	bool is_each_look; /* each sample as it comes, even if the previous one was equal */
};

struct stretches;
ANALYSIS(stretches, struct stretches)

/* "runs", "waits for the GIL" and so on. */
const char *stretch_state_text(enum evt_python_state state);

#endif
