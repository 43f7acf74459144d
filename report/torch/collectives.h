/* SPDX-License-Identifier: MIT */
/*
 * Collectives of torch.distributed: PyTorch's own labels (nccl:all_reduce, gloo:broadcast, mpi:...), from the call to the end
 * of the work as the process sees it, and kernels of NCCL on the GPU.
 *
 * Calls of several processes belong together by their order: the n-th one of a label in each. That is so where all of
 * these processes called it equally often, over the whole run and not only in what is selected; of other labels no waits are known, and a label that is used by several groups of
 * ranks equally often is taken for one. A process waits in a call until the last one has begun it. Across machines the waits
 * are as good as their clocks.
 *
 * Bytes come from the operators that asked for the calls (collective_sizes.h). Where a label begins within its operator
 * (nccl), it is known whose bytes they are; work that begins on a thread of the process group (gloo) belongs to operators of its kind:
 * where a process has as many of the one as of the other, all are known, else none. gloo does reduce_scatter by all_reduce where it has no
 * label of its own, so these operators count there.
 *
 * Memory grows with calls. One thread.
 */
#ifndef REPORT_TORCH_COLLECTIVES_H
#define REPORT_TORCH_COLLECTIVES_H

#include "report/base/timing.h"
#include "report/core/key.h"
#include "report/deferred/deferred.h"
#include "report/torch/collective_sizes.h"

struct collective_call {
	uint32_t name, process; /* indices */
	uint64_t begin_ns, end_ns, ordinal;
	uint64_t wait_ns, skew_ns; /* skew: from the first begin of all to the last */
	bool is_matched;
	bool counts;   /* the selection holds; the others tell which calls belong together */
	uint32_t size; /* place + 1 of the operator around its begin; 0: none */
};

struct collective_row {
	uint32_t name, process; /* of kernels the kernel's name */
	bool is_kernel;
	struct timing time;                     /* of calls, of kernels on the GPU */
	uint64_t matched, wait_ns, skew_max_ns; /* of calls */
	uint32_t processes;                     /* that called it */
	/* Of calls or kernels; all of a row are known where sized, or bus_sized, is time.count. */
	uint64_t sized, bytes, bus_sized;
	double bus_bytes;
};

struct collectives {
	bool by_rank;
	struct collective_row *row; /* once all is read */
	size_t row_count, row_room;
	struct collective_call *call;
	size_t call_count, call_room;
	uint64_t unmatched; /* labels that processes called unequally often */
	uint64_t open;      /* calls whose end was not seen: not counted */
};
struct collectives_options {
	enum key_id by;
};
ANALYSIS(collectives, struct collectives)

/* What a label says: "gloo" and "all_reduce"; false when it is of no collective. */
struct collective_label {
	const char *backend, *op;
	size_t backend_length, op_length;
};
bool collective_label_of(const char *text, size_t length, struct collective_label *ret_label);

/* A call of this backend takes as long as its work; of others it is the host's part that is timed. */
bool collective_is_timed(const struct collective_label *label);

#endif
