/* SPDX-License-Identifier: MIT */
/*
 * Calls whose work was never told: CUPTI hands out what the GPU did once a second, and what it still has is lost with a
 * process that ends by a signal. Of a process with CUPTI a launch, copy or memset that succeeded has work; where none has come
 * until the end, it counts here.
 *
 * Not counted, because nothing is known or it is counted elsewhere: calls before CUPTI had started or where it was left to
 * another user; calls that are captured into a graph; copies that may be from host to host; a graph of which no launch
 * had work (it may be empty); a process that goes on while the file is read; as many as records of the GPU are counted as lost
 * (gpu_lost), or records of the threads that tell of work. The filters look at the call.
 *
 * Memory grows with processes, threads and graphs. One thread.
 */
#ifndef REPORT_GPU_UNTOLD_H
#define REPORT_GPU_UNTOLD_H

#include "report/core/analysis.h"
#include "report/core/why_empty.h"
#include "report/table/export.h"

struct untold {
	uint64_t calls;     /* after the last event */
	uint64_t most;      /* of one process */
	uint32_t process;   /* that one's index */
	uint32_t processes; /* that have such calls */
	/* With `keeps`: the launches and copies among them, in no order, of processes that lost no record of the GPU. */
	struct untold_work *work;
	size_t work_count;
};

struct untold_work {
	uint64_t start_ns, correlation; /* when its call returned; CUPTI's number of that */
	uint32_t process, thread;       /* indices */
	uint32_t name;                  /* of the kernel, else of the function that was called */
	bool is_kernel;
};

struct untold_options {
	char keeps; /* 1: `work` is filled in; memory grows with calls whose work has not come */
};
ANALYSIS(untold, struct untold)

/* A line above a table; nothing where there are none. */
void untold_print(const struct untold *untold, const struct source *source,
		  const struct screen *screen);

/* Why a report of the GPU has no row, for report_kind.explain. */
const char *untold_explain(const struct untold *untold, const struct run *run,
			   struct why_empty *absence);

#endif
