/* SPDX-License-Identifier: MIT */
/*
 * What the worker processes of a DataLoader did while the loop waited for a batch, by samples: how
 * long each worked on a sample then, and at which lines. A DataLoader delivers batches in a fixed
 * order, so the loop waits for whichever worker is late.
 */
#ifndef REPORT_ADVICE_WORKER_WAITS_H
#define REPORT_ADVICE_WORKER_WAITS_H

#include "report/advice/step_lines.h"

struct bottleneck;

struct worker_waits {
	uint64_t busy_ns, busy_looks; /* of all workers, while the loop waited */
	bool has_line;
	struct step_line line; /* where most of that was; ns and looks are its own */
	/*
	 * Of sets of workers that lived at the same time and in which one was slower than each of
	 * the others.
	 */
	unsigned int sets, workers; /* in these sets */
	uint64_t slow_busy_ns, slow_seen_ns, slow_looks, slow_cpu_ns;
	/* of one of the others, on average */
	uint64_t others_busy_ns, others_seen_ns, others_cpu_ns;
	uint64_t others;
	uint64_t all_seen_ns; /* of one worker of each set, whether slow or not */
	uint32_t slow_pid;    /* of the first set */
	bool has_slow_line;
	struct step_line slow_line;
	uint64_t slow_line_of_ns; /* the whole that its share refers to */
};

/* To be called after the reading. */
void worker_waits_look(const struct bottleneck *bottleneck, struct worker_waits *ret_waits);

#endif
