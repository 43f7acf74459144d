/* SPDX-License-Identifier: MIT */
/* The totals of a run and their text on one screen. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "report/export.h"
#include "report/model.h"

struct summary_totals {
	uint64_t events, events_lost, bytes_on_disk, wall_ns, cpu_ns, profiler_cpu_ns,
		profiler_memory_bytes;
	uint64_t processes, threads;
	bool cpu_is_partial; /* of a process that was killed, or runs on: the last value seen */
};

struct summary {
	struct model *model;
	struct summary_totals totals;
};

/* The head of the document whose context is a struct summary; joins the model's rows. */
void summary_print(const struct document *document, const struct screen *screen);

#endif
