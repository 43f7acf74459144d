/* SPDX-License-Identifier: MIT */
/*
 * What the worker processes of a DataLoader did while the loop waited for a batch, by samples: how
 * long each was at work on a sample then, and which lines that was in. DataLoader hands batches out
 * in a fixed order, so the loop waits for whichever worker is late.
 */
#ifndef REPORT_ADVICE_WORKER_WAITS_H
#define REPORT_ADVICE_WORKER_WAITS_H

#include "report/advice/step_lines.h"

struct bottleneck;

struct worker_waits {
	uint64_t busy_ns, busy_looks; /* of all workers, at work while the loop waited */
	bool has_line;
	struct step_line line; /* where that was most; ns and looks are its own */
	/*
	 * Of sets of workers that lived at the same time and of which one was slower than each of
	 * the others.
	 */
	unsigned int sets, workers; /* of those sets */
	uint64_t slow_busy_ns, slow_seen_ns, slow_looks, slow_cpu_ns;
	uint64_t others_busy_ns, others_seen_ns, others_cpu_ns; /* of one of them, on average */
	uint64_t others;
	uint64_t all_seen_ns; /* of one worker of each set, slow ones or not */
	uint32_t slow_pid;    /* of the first set */
	bool has_slow_line;
	struct step_line slow_line;
	uint64_t slow_line_of_ns; /* what its share is of */
};

/* Once all is read. */
void worker_waits_look(const struct bottleneck *bottleneck, struct worker_waits *ret_waits);

#endif
