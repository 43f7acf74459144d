/* SPDX-License-Identifier: MIT */
/*
 * What the GPU did for the loop, as far as advice rests on it: by the whole steps in which it was asked for, from
 * EVIDENCE_SETTLED on. And stretches of GPU_GAP_LONG_NS or more in which a device did nothing between two things.
 *
 * Products are kernels launched inside of operators that multiply matrices or convolve. Host time is that of the calls.
 * Memory grows by a struct a step, and by one for each long stretch. One thread.
 */
#ifndef REPORT_ADVICE_GPU_EVIDENCE_H
#define REPORT_ADVICE_GPU_EVIDENCE_H

#include "report/advice/evidence.h"
#include "report/deferred/deferred.h"

#define GPU_EVIDENCE_WORK(FIELD)                                              \
	FIELD(kernels)                                                        \
	FIELD(graph_kernels) /* of them, launched as a part of a graph */     \
	FIELD(kernel_ns)                                                      \
	FIELD(product_ns)                                                     \
	FIELD(tensor_core_ns)                                                 \
	FIELD(recent_ns)     /* of products on a GPU that has tensor cores */ \
	FIELD(double_ns)     /* of products in double precision */            \
	FIELD(short_kernels) /* shorter than the call that launched it */     \
	FIELD(short_by_ns)   /* by so much, all together */                   \
	FIELD(blocking_copies)                                                \
	FIELD(blocking_bytes)                                                 \
	FIELD(blocking_ns) /* host */                                         \
	FIELD(blocking_sets)                                                  \
	FIELD(blocking_sets_ns)                                               \
	FIELD(copies)   /* asynchronous, between the host and the device */   \
	FIELD(pageable) /* of them, of memory that CUPTI says is pageable */  \
	FIELD(pageable_bytes)                                                 \
	FIELD(pageable_ns)
struct gpu_evidence_work {
#define FIELD(name) uint64_t name;
	GPU_EVIDENCE_WORK(FIELD)
#undef FIELD
};

struct gpu_evidence_step {
	uint32_t process;
	uint64_t number;
	struct gpu_evidence_work work;
};

struct gpu_evidence {
	struct gpu_evidence_step *step;
	size_t step_count, step_room;
	struct gpu_evidence_work work; /* once all is read: of all whole settled steps */
	uint64_t steps;                /* these, of processes in which a GPU did anything for any */
	struct deferred *deferred;
};
/* What the GPU did for this settled step of the process (index); NULL: nothing that is known. */
const struct gpu_evidence_step *gpu_evidence_step_of(const struct gpu_evidence *gpu,
						     uint32_t process, uint64_t number);

struct gpu_evidence_options {
	uint32_t none;
};
ANALYSIS(gpu_evidence, struct gpu_evidence)

#endif
