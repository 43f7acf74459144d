/* SPDX-License-Identifier: MIT */
/* What report bottleneck knows of a run: its phases, and the figures that several rules look at. */
#ifndef REPORT_ADVICE_BOTTLENECK_H
#define REPORT_ADVICE_BOTTLENECK_H

#include "report/advice/advice.h"
#include "report/table/export.h"
#include "report/advice/gc_pauses.h"
#include "report/advice/gpu_evidence.h"
#include "report/advice/import_evidence.h"
#include "report/advice/serving.h"
#include "report/advice/steady_loop.h"
#include "report/advice/worker_restarts.h"
#include "report/advice/worker_waits.h"
#include "report/advice/wait_causes.h"
#include "report/advice/run_facts.h"
#include "report/advice/step_lines.h"
#include "report/ranges/ranges.h"
#include "report/cuda/cuda.h"
#include "report/device/device_numbers.h"
#include "report/device/device_states.h"
#include "report/functions/function_events.h"
#include "report/gpu/gpu_time.h"
#include "report/gpu/unreported.h"
#include "report/heap/heap.h"
#include "report/io/io_events.h"
#include "report/native/native_events.h"
#include "report/tensors/fragments.h"
#include "report/tensors/tensors.h"
#include "report/torch/collectives.h"
#include "report/torch/operators.h"

#define LAUNCH_USUAL_NS 40000u /* an operator of PyTorch's that launches, called from Python */

struct growth;        /* report/heap/growth.h */
struct os_waits;      /* report/advice/os_waits.h */
struct resident;      /* report/heap/resident.h */
struct request_lines; /* report/advice/request_lines.h */

struct bottleneck {
	/* what bottleneck_want() wants */
	struct run *run;
	struct source *source;
	struct heap *heap;
	const struct growth *heap_growth, *tensor_growth, *object_growth, *arena_growth;
	const struct resident *resident;
	struct ranges *ranges;
	struct cuda *cuda;
	struct operators *operators;
	struct tensors *tensors;
	struct fragments *fragments;
	struct steps *steps;
	struct evidence *evidence;
	struct gpu_evidence *gpu;
	struct gpu_time *gpu_time;
	struct device_states *devices;
	struct device_numbers *device_numbers;
	struct gc_pauses *gc_pauses;
	struct unreported *unreported;
	struct step_lines *lines;
	struct wait_looks *waits;
	struct os_waits *os_waits;
	struct request_lines *request_lines;
	struct native_reading *native;
	struct run_facts *environment;
	struct import_evidence *imports;
	struct functions *functions;
	struct collectives *collectives;
	struct io_reading *io_by_file, *io_by_process, *io_by_operator, *io_by_function;

	struct steady_loop loop;              /* what shares are of */
	const struct source_process *process; /* that told most: of the first step; NULL: none */
	/* Times of that process on the session's clock, 0: not known. */
	uint64_t imported_ns, first_step_ns, last_step_ns;
	uint64_t settled_ns; /* the first step that is no warm-up begins */
	uint64_t steps_ns;   /* of its steps, added up */
	uint64_t wall_ns;
	struct timing operator_times; /* of operators that are no labels */
	uint64_t operator_calls, launches, cuda_errors;
	uint64_t workers; /* of data loaders, that were recorded */
	bool has_workers; /* recorded or not: the DataLoader's iterator says so */
	struct worker_restarts restarts;
	struct worker_waits worker_waits;
	struct wait_causes *wait_causes;
	struct serving serving;
	bool sampled, limited;
	struct advice *advice; /* most important first */
	size_t advice_count;
};

/* Before anything is read; to be released. */
void bottleneck_want(struct bottleneck *bottleneck, struct run *run);
/* After that. */
void bottleneck_look(struct bottleneck *bottleneck);
void bottleneck_release(struct bottleneck *bottleneck);

/* Text of a fact that the process told, NULL when it did not. */
const struct source_name *bottleneck_fact(const struct bottleneck *bottleneck, const char *key);
/*
 * Share of the communication time that ranks wait for a later one, from 0 to 1: as the calls of
 * collectives say where all of them are matched, else what ranks communicate longer than the rank
 * that communicates least.
 */
double ranks_waiting_share(const struct bottleneck *bottleneck);

/*
 * Time of the loop in which its GPU was idle because the host was busy launching: in operators and
 * calls of CUDA, and in what lies between them; without calls that wait for the GPU or allocate on
 * it, and without large operators of the CPU. 0 where that is not known, little is launched, or the
 * kernels take longer.
 */
uint64_t bottleneck_launching_ns(const struct bottleneck *bottleneck);

/* advice_launch_bound() and advice_gpu_bound() of a program without steps. */
bool advice_launches_of_run(const struct bottleneck *bottleneck, struct advice *advice);
bool advice_gpu_bounds_run(const struct bottleneck *bottleneck, struct advice *advice);
/*
 * Returns how busy the GPU is from its first work to its last, %, in a program without steps that
 * does little else; 0: it does other things, or its GPU's work is not known.
 */
#define BOTTLENECK_RUN_GPU_BOUND 90.0
double bottleneck_run_busy(const struct bottleneck *bottleneck, uint64_t *ret_span_ns);
/* Adds what advice_hot_line() would say, and its line, to other advice. */
void advice_hot_line_add(const struct bottleneck *bottleneck, struct advice *advice);
/* Likewise of the native function with most CPU time; sets no place. */
void advice_hot_function_add(const struct bottleneck *bottleneck, struct advice *advice);

/* Returns whether all work of the GPU was told, and in time, except for little of it. */
bool bottleneck_gpu_is_told(const struct bottleneck *bottleneck);

/* What the GPU did, where the loop runs on one and all of it was told; NULL: else. */
const struct gpu_evidence *bottleneck_gpu(const struct bottleneck *bottleneck);
/*
 * Nothing ran on a GPU of the loop in its settled steps; UINT64_MAX: it runs on none, or that is
 * not known.
 */
uint64_t bottleneck_idle_ns(const struct bottleneck *bottleneck);
/* The same, but the most that it may have been where work was lost, or was reported late. */
uint64_t bottleneck_idle_at_most_ns(const struct bottleneck *bottleneck, bool *ret_is_exact);

/* advice_copies() and advice_double_precision() of a loop on a GPU. */
bool advice_clones(const struct bottleneck *bottleneck, struct advice *advice);
bool advice_double_kernels(const struct bottleneck *bottleneck, struct advice *advice);

/*
 * Rules of the same names where the GPU's work is known as sums: no_tensor_cores, double_precision,
 * pageable_copies, small_copies (advice_gpu_sums.c).
 */
bool advice_summed_products(const struct bottleneck *bottleneck, struct advice *advice);
bool advice_summed_doubles(const struct bottleneck *bottleneck, struct advice *advice);
bool advice_summed_pageable(const struct bottleneck *bottleneck, struct advice *advice);
bool advice_summed_small(const struct bottleneck *bottleneck, struct advice *advice);
/*
 * Host time of asynchronous copies that wait for data of the GPU, if nearly all copies are to the
 * host; else 0. Sums only: otherwise it is part of the waits.
 */
uint64_t bottleneck_copies_wait_ns(const struct bottleneck *bottleneck);

#define COPIES_MANY 16u         /* a step */
#define COPY_SMALL_BYTES 65536u /* a larger one takes its time for the bytes */

/* In parts of the time of the loop's settled steps, %; 0 without steps. */
static inline double bottleneck_share(const struct bottleneck *bottleneck, uint64_t ns)
{
	uint64_t all = bottleneck->loop.total_ns;

	return all ? 100.0 * (double)ns / (double)all : 0;
}

/* What was started, also where another process runs the loop; NULL: not known. */
const struct source_name *bottleneck_command(const struct bottleneck *bottleneck);
/* A process of it runs Python, or did. */
bool bottleneck_is_python(const struct bottleneck *bottleneck);
/* A process of a data loader. */
bool bottleneck_is_worker(const struct source_process *process);

/* The head of the document. */
void bottleneck_print(const struct bottleneck *bottleneck, const struct document *document,
		      const struct screen *screen);

#endif
