/* SPDX-License-Identifier: MIT */
/*
 * Calls whose work was never reported. CUPTI delivers finished work once a second, and what it
 * still has is lost if a signal ends the process. In a process with CUPTI, a launch, copy or memset
 * that succeeded has work; if none has come by the end, it is counted here.
 *
 * The following calls are not counted, because nothing is known of them or because they are counted
 * elsewhere: calls before CUPTI had started, or while it was left to another user; calls that are
 * captured into a graph; copies that may be from host to host; launches of a graph none of whose
 * launches had work (it may be empty); calls of a process that still runs while the file is read;
 * as many calls as lost GPU records are counted (gpu_lost), or lost records of threads that report
 * work. The filters apply to the call.
 *
 * Memory grows with processes, threads and graphs. To be used by one thread.
 */
#ifndef REPORT_GPU_UNREPORTED_H
#define REPORT_GPU_UNREPORTED_H

#include "report/core/analysis.h"
#include "report/core/why_empty.h"
#include "report/table/export.h"

struct unreported {
	uint64_t calls;     /* set after the last event */
	uint64_t most;      /* of one process */
	uint32_t process;   /* that process's index */
	uint32_t processes; /* processes that have such calls */
	/*
	 * With `keeps`: the launches and copies among them, in no order, of processes that lost no
	 * GPU record.
	 */
	struct unreported_work *work;
	size_t work_count;
};

struct unreported_work {
	uint64_t start_ns, correlation; /* when its call returned; CUPTI's correlation number */
	uint32_t process, thread;       /* indices */
	/* of the kernel, otherwise of the function that was called */
	uint32_t name;
	bool is_kernel;
};

struct unreported_options {
	/* 1: `work` is filled in; memory then grows with calls whose work has not come */
	char keeps;
};
ANALYSIS(unreported, struct unreported)

/* Prints a line above a table; nothing if there are no such calls. */
void unreported_print(const struct unreported *unreported, const struct source *source,
		      const struct screen *screen);

/* Why a report of the GPU has no rows, for report_kind.explain. */
const char *unreported_explain(const struct unreported *unreported, const struct run *run,
			       struct why_empty *absence);

#endif
