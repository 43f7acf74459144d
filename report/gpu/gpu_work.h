/* SPDX-License-Identifier: MIT */
/*
 * The GPU's work as deferred/deferred.h delivers it: kernels, copies, memsets, and waits of the
 * host for them.
 *
 * Other families may include this header (scripts/check-includes.sh). A piece is valid during
 * take() only.
 */
#ifndef REPORT_GPU_GPU_WORK_H
#define REPORT_GPU_GPU_WORK_H

#include "report/deferred/deferred.h"

enum gpu_work_kind { GPU_WORK_KERNEL, GPU_WORK_COPY, GPU_WORK_SET, GPU_WORK_WAIT, GPU_WORK_KINDS };

struct gpu_work {
	struct deferred_work deferred; /* must be first: listeners receive only this part */
	enum gpu_work_kind kind;
	bool is_communication; /* a kernel that moves data between devices (NCCL) */
	/* by its name; is_helper: the kernel prepares or ends a matrix product */
	bool uses_tensor_cores, is_helper;
	bool is_asynchronous;
	uint64_t bytes;
	uint32_t what; /* for a kernel the index of its name; for a copy or wait CUPTI's kind */
	uint32_t device, context, stream, graph;
	/* CUPTI's number of the graph's node; 0: none, or gpu_work_want_nodes() was not called */
	uint64_t node;
	uint32_t grid[3], block[3], shared_bytes, registers; /* of kernels */
	uint32_t from_memory, to_memory; /* CUpti_ActivityMemoryKind, of copies */
};

/* All deferred work is GPU work. */
static inline const struct gpu_work *gpu_work_of(const struct deferred_work *work)
{
	return (const struct gpu_work *)work;
}

/*
 * For start(), after deferred_want(): pieces of work then have their `node`. The node is reported
 * after the work, so a piece is kept until the next event of its thread, or the end.
 */
extern const struct analysis_kind analysis_gpu_work;
void gpu_work_want_nodes(struct run *run);

#endif
