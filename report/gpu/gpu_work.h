/* SPDX-License-Identifier: MIT */
/*
 * The GPU's work, as deferred/deferred.h delivers it: kernels, copies, memsets, and waits of the host for them.
 *
 * Other families may include this header (scripts/check-includes.sh). A piece is good during take() only.
 */
#ifndef REPORT_GPU_GPU_WORK_H
#define REPORT_GPU_GPU_WORK_H

#include "report/deferred/deferred.h"

enum gpu_work_kind { GPU_WORK_KERNEL, GPU_WORK_COPY, GPU_WORK_SET, GPU_WORK_WAIT, GPU_WORK_KINDS };

struct gpu_work {
	struct deferred_work deferred; /* first: it is what listeners get */
	enum gpu_work_kind kind;
	bool is_communication;             /* a kernel that moves data between devices (nccl) */
	bool uses_tensor_cores, is_helper; /* by its name; helper: prepares or ends a product */
	bool is_asynchronous;
	uint64_t bytes;
	uint32_t what; /* kernel: its name's index; copy, wait: CUPTI's kind */
	uint32_t device, context, stream, graph;
	uint64_t
		node; /* of the graph, CUPTI's number; 0: none, or nobody asked: gpu_work_want_nodes() */
	uint32_t grid[3], block[3], shared_bytes, registers; /* of kernels */
	uint32_t from_memory, to_memory; /* CUpti_ActivityMemoryKind; of copies */
};

/* All deferred work is a GPU's. */
static inline const struct gpu_work *gpu_work_of(const struct deferred_work *work)
{
	return (const struct gpu_work *)work;
}

/*
 * For start(), after deferred_want(): pieces of work have their `node`. It is reported after the work,
 * so a piece is held back until the next of its thread, or the end.
 */
extern const struct analysis_kind analysis_gpu_work;
void gpu_work_want_nodes(struct run *run);

#endif
