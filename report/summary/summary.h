/* SPDX-License-Identifier: MIT */
/* The totals of a run, and their text for one screen. */
#ifndef REPORT_SUMMARY_SUMMARY_H
#define REPORT_SUMMARY_SUMMARY_H

#include "report/table/part.h"
#include "report/advice/bottleneck.h"
#include "report/ranges/range_names.h"
#include "report/ranges/ranges.h"
#include "report/captures/captures.h"
#include "report/cuda/cuda.h"
#include "report/gpu/gpu.h"
#include "report/gpu/gpu_time.h"
#include "report/gpu/unreported.h"
#include "report/heap/growth.h"
#include "report/heap/heap.h"
#include "report/heap/resident.h"
#include "report/imports/import_events.h"
#include "report/native/native_events.h"
#include "report/requests/request_events.h"
#include "report/samples/sample_events.h"
#include "report/steps/steps.h"
#include "report/stuck/stuck.h"
#include "report/summary/summary_owner.h"
#include "report/tensors/tensor_events.h"
#include "report/torch/rows_ops.h"

struct cuda_totals {
	uint64_t calls, total_ns, errors, launches, graph_launches, copies, copied_bytes,
		device_peak_bytes, device_live_bytes;
};

struct summary_totals {
	uint64_t events, events_lost, bytes_on_disk, wall_ns, cpu_ns, profiler_cpu_ns,
		profiler_memory_bytes;
	uint64_t processes, threads;
	uint64_t selected_processes, selected_threads; /* those that did something that counts */
	bool has_lives; /* figures of whole processes hold: filter_cuts_lives() */
	uint64_t selected_cpu_ns, selected_peak_bytes; /* of these processes, if has_lives */
	bool has_children;                             /* the recording has data on children */
	uint64_t children_ns; /* CPU time of children that were not recorded */
	/* resident memory of the process that had the most; 0: not known */
	uint64_t memory_peak_bytes;
	struct cuda_totals cuda;
	struct ops_totals operators;
	/* of a process that was killed or still runs: the last value that was read */
	bool cpu_is_partial;
};

/* Phases of the run, on the session's clock; their sum is its wall time. */
struct summary_phases {
	bool is_known; /* all was recorded, and there were steps */
	uint64_t startup_ns, steps_ns, after_ns;
};

struct summary {
	struct bottleneck bottleneck;
	const struct tensors *tensors; /* by operator */
	const struct captures *captures;
	const struct range_names *names;
	struct heap_owner heap_owner;
	struct summary_phases phases;
	struct run *run;
	struct source *source;
	struct heap *heap;
	struct growth *growth;
	struct resident *resident;
	struct ranges *ranges;
	struct cuda *cuda;
	struct gpu *gpu; /* by kernel */
	struct gpu_time *gpu_time;
	struct unreported *unreported;
	struct operators *operators;
	struct steps *steps;
	struct requests *requests; /* by endpoint */
	struct stuck stuck;
	struct samples *samples;       /* by line */
	struct native_reading *native; /* by stack */
	struct imports *imports;
	struct works *works; /* of report threads */
	struct summary_totals totals;
};

/* Prints the head of the document. */
void summary_print(const struct summary *summary, const struct document *document,
		   const struct screen *screen);

/* Prints how the time of steps was used; nothing without steps. */
void summary_print_steps(const struct summary *summary, const struct screen *screen);
/*
 * Prints sentences on how much of the time was recorded, or that nothing was, and what would record
 * more.
 */
void summary_print_told(const struct summary *summary, const struct screen *screen);
/* Returns whether tables are shown, too: with --all, or if the output is not a terminal. */
bool summary_shows_all(const struct summary *summary, const struct screen *screen);
/* Prints that the busiest thread had no CPU for much of its time; otherwise nothing. */
void summary_print_ready(const struct summary *summary, const struct screen *screen);
/* Prints what grows from step to step, if the run shows that; otherwise nothing. */
void summary_print_leak(const struct summary *summary, const struct screen *screen);
/* Prints what the resident memory was at its peak; nothing if the recording does not have it. */
void summary_print_memory(const struct summary *summary, const struct screen *screen);

/* How busy the GPUs were, if their work was recorded; otherwise nothing. */
struct gpu_totals {
	uint64_t devices, span_ns, busy_ns; /* sums over all devices of all processes */
};
struct gpu_totals summary_gpu_add_up(const struct summary *summary);
void summary_print_gpu(const struct summary *summary, const struct screen *screen);

/*
 * Writes which lines of Python took the CPU time, or which function took most of it; writes
 * nothing and returns false if too little was sampled.
 */
bool summary_print_lines(const struct summary *summary, const struct screen *screen);
/*
 * Prints where a program with one Python thread waited. Prints nothing and returns false if that is
 * a small part of the run.
 */
bool summary_print_waits(const struct summary *summary, const struct screen *screen);
/*
 * Writes which native functions took the CPU time, or why no native stack was sampled; writes
 * nothing and returns false if there is too little of it.
 */
bool summary_print_native(const struct summary *summary, const struct screen *screen);
/* Prints the lines and functions with the most time; nothing if there are few samples. */
void summary_print_lines_parts(const struct summary *summary, const struct document *document,
			       const struct screen *screen);

/*
 * Prints the time that Python's imports took. Prints nothing and returns false if that is a small
 * part of the run, or if there are several processes.
 */
bool summary_print_imports(const struct summary *summary, const struct screen *screen);

/* To be called before the rows of api are joined. */
struct cuda_totals cuda_add_up(const struct cuda *cuda, const struct source *source);
/* Prints nothing if there was no CUDA call. */
void summary_print_cuda(const struct summary *summary, const struct document *document,
			const struct screen *screen);

/* Prints nothing if no operator was called. */
void summary_print_torch(const struct summary *summary, const struct document *document,
			 const struct screen *screen);

#endif
