/* SPDX-License-Identifier: MIT */
/*
 * Steps in which processes of a DataLoader were started although the loop had some before: a
 * DataLoader that does not keep its workers starts them again in each epoch. The cost is the time
 * of such steps beyond the median of the others.
 */
#ifndef REPORT_ADVICE_WORKER_RESTARTS_H
#define REPORT_ADVICE_WORKER_RESTARTS_H

#include <stdint.h>

struct bottleneck;

struct worker_restarts {
	uint64_t steps, workers; /* these steps, and the workers started in them */
	uint64_t excess_ns;
	uint64_t
		/* in these steps: time waiting for a batch; 0 if there is no advice on restarts */
		dataloader_ns;
};

/* Fills it from the loop. */
void worker_restarts_look(struct worker_restarts *restarts, const struct bottleneck *bottleneck);

#endif
