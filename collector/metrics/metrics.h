/* SPDX-License-Identifier: MIT */
/* The metrics of metrics.def as text, from the tallies and from what is known of processes. */
#ifndef COLLECTOR_METRICS_METRICS_H
#define COLLECTOR_METRICS_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/metrics/exposition.h"
#include "collector/metrics/tally.h"
#include "collector/processes/processes.h"

struct metrics_request {
	const struct common *common;
	const struct processes *processes;
	struct tally_owner first; /* stands for the whole recording */
	uint64_t write_errors;
	bool has_ended; /* the last time: figures are those of all processes that are known */
};

/* Appends all metrics. Label values are host, pid and, if it is known, rank. */
void metrics_write(struct exposition *e, const struct metrics_request *request);

#endif
