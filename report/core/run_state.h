/* SPDX-License-Identifier: MIT */
/*
 * What a run (analysis.h) consists of, for run.c, which passes events on, and run_wants.c, which
 * knows who reads which. Nobody else includes it.
 */
#ifndef REPORT_CORE_RUN_STATE_H
#define REPORT_CORE_RUN_STATE_H

#include "report/core/analysis.h"

struct run_analysis {
	const struct analysis_kind *kind;
	void *state, *options;
};

struct run_reader {
	analysis_take *take;
	void *state; /* of an analysis */
	bool follows, enters, needs_step, leaves;
};

struct run_readers {
	struct run_reader *reader;
	size_t count, room;
	bool follow; /* one of the readers follows */
};

struct run_heap_reader {
	source_take_heap *take;
	void *state;
};

struct run {
	struct source *source;
	const struct options *options;
	struct selection filters;
	struct recorded_time captured;
	struct detail detail, gpu_windows;
	struct run_analysis *analysis; /* each one after those that it wants */
	size_t analysis_count, analysis_room;
	struct run_readers readers[EVT_ID_LIMIT];
	struct run_heap_reader *heap_reader;
	size_t heap_reader_count, heap_reader_room;
	struct frame_wants wants;
	bool counts_all;
	uint64_t by_id[EVT_ID_LIMIT], all; /* events that count */
	uint64_t *of_thread, *of_process;  /* by index */
	size_t thread_room, process_room;
	/* the thread whose events are counted in `tally` only so far; NULL: none */
	const struct source_thread *tallied;
	uint64_t tally;
	/* events that count and only need to be passed to their readers */
	bool is_plain[EVT_ID_LIMIT];
	bool *stopped; /* by process: outside of its capture range */
	size_t stopped_room;
	uint64_t settled_ns;
	struct source_event waiting; /* kept for the next run_continue() */
	bool has_waiting;
	uint64_t continued; /* events that run_continue() has taken */
};

/* Before the first event, in this order: which parts of the files are read, and what of them. */
void run_seek(const struct run *run);
void run_complete_wants(struct run *run);
/* In the order of the analyses, whenever each of them asked. */
void run_order_readers(struct run *run);

#endif
