/* SPDX-License-Identifier: MIT */
/*
 * What the GPU did for the loop, as evidence for advice: by the complete steps in which the work
 * was launched, from EVIDENCE_SETTLED on. It also has spans of GPU_GAP_LONG_NS or more in which a
 * device was idle between two pieces of work.
 *
 * Products are kernels that were launched inside of operators that multiply matrices or convolve.
 * Clones are kernels, and copies within a device, in aten::clone of the loop's own code: neither in
 * a product nor in backward.
 * Host time is the time of the calls. Memory grows by a struct for each step and each long span. To
 * be used by one thread.
 */
#ifndef REPORT_ADVICE_GPU_EVIDENCE_H
#define REPORT_ADVICE_GPU_EVIDENCE_H

#include "report/advice/evidence.h"
#include "report/deferred/deferred.h"

#define GPU_EVIDENCE_WORK(FIELD)                                                    \
	FIELD(kernels)                                                              \
	FIELD(graph_kernels) /* those launched as a part of a graph */              \
	FIELD(kernel_ns)                                                            \
	FIELD(product_ns)                                                           \
	FIELD(tensor_core_ns)                                                       \
	FIELD(recent_ns) /* of products on a GPU that has tensor cores */           \
	FIELD(double_ns) /* of products in double precision */                      \
	FIELD(clones)    /* copies of tensors by clone() and contiguous() */        \
	FIELD(clones_ns)                                                            \
	FIELD(short_kernels) /* kernels shorter than the call that launched them */ \
	FIELD(short_by_ns)   /* the sum of these differences */                     \
	FIELD(blocking_copies)                                                      \
	FIELD(blocking_bytes)                                                       \
	FIELD(blocking_ns) /* time of the host */                                   \
	FIELD(blocking_sets)                                                        \
	FIELD(blocking_sets_ns)                                                     \
	FIELD(copies)   /* asynchronous, between host and device */                 \
	FIELD(pageable) /* those of memory that CUPTI reports as pageable */        \
	FIELD(pageable_bytes)                                                       \
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

/*
 * INTERCEPT_GPU=sums: of all calls behind the begin of step EVIDENCE_SETTLED of their process, also
 * of those behind its last step. 0 if a filter is set, and of recordings without that mark.
 */
struct gpu_evidence_sums {
	uint64_t kernel_ns, tensor_core_ns, double_ns; /* as above */
	uint64_t plain_ns; /* products without tensor cores on a GPU that has them, by names */
	struct gpu_evidence_copies {
		uint64_t copies, bytes, ns;
	} all, to_device, to_host, pageable; /* pageable: to the device, from memory not pinned */
};

struct gpu_evidence {
	struct gpu_evidence_step *step;
	size_t step_count, step_room;
	struct gpu_evidence_work work; /* after the reading: of all complete settled steps */
	/* those of processes in which a GPU did any work for a step */
	uint64_t steps;
	struct gpu_evidence_sums sums;
	struct deferred *deferred;
};
/* Returns the GPU work for this settled step of the process (index); NULL: nothing is known. */
const struct gpu_evidence_step *gpu_evidence_step_of(const struct gpu_evidence *gpu,
						     uint32_t process, uint64_t number);

struct gpu_evidence_options {
	uint32_t none;
};
ANALYSIS(gpu_evidence, struct gpu_evidence)

#endif
