/* SPDX-License-Identifier: MIT */
/*
 * Steps in which processes of a DataLoader were started, though the loop had had some before: a
 * DataLoader that does not keep its workers starts them anew in each epoch. What such steps take
 * beyond the median of the others is what that costs.
 */
#ifndef REPORT_ADVICE_WORKER_RESTARTS_H
#define REPORT_ADVICE_WORKER_RESTARTS_H

#include <stdint.h>

struct bottleneck;

struct worker_restarts {
	uint64_t steps, workers; /* these steps, and what was started in them */
	uint64_t excess_ns;
	uint64_t
		/* in these steps, waiting for a batch; 0 where there is no advice on restarts */
		dataloader_ns;
};

/* The loop was looked at. */
void worker_restarts_look(struct worker_restarts *restarts, const struct bottleneck *bottleneck);

#endif
