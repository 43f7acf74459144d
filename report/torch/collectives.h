/* SPDX-License-Identifier: MIT */
/*
 * Collectives of torch.distributed: PyTorch's own labels (nccl:all_reduce, gloo:broadcast,
 * mpi:...), from the call to the end of the work as the process sees it; and NCCL's kernels on the
 * GPU.
 *
 * The calls of several processes are matched by their order: the n-th call of a label in each
 * process. This is correct if all of these processes made the call equally often, over the whole
 * run and not only in the selected time. For other labels no waits are known. A label that several
 * groups of ranks use equally often is treated as one group. A process waits in a call until the
 * last process has begun it. Between machines, waits are known only if their clocks are (report
 * clocks), and as exactly as those.
 *
 * Bytes come from the operators that started the calls (collective_sizes.h). If a label begins
 * within its operator (nccl), its bytes are known. Work that begins on a thread of the process
 * group (gloo) belongs to operators of its kind: if a process has equally many labels and
 * operators, all of their bytes are known, otherwise none. Gloo does reduce_scatter by all_reduce
 * where it has no label of its own, so these operators count for all_reduce.
 *
 * Memory grows with calls. To be used by one thread.
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
	uint64_t wait_ns, skew_ns; /* skew_ns: from the first begin in any process to the last */
	bool is_matched;
	bool counts;   /* it is in the selection; other calls are needed to match calls */
	uint32_t size; /* index + 1 of the operator around its begin; 0: none */
};

/* A call whose end was not seen. */
struct collective_open {
	uint32_t name, process; /* indices */
	uint64_t begin_ns;
};

struct collective_row {
	uint32_t name, process; /* for kernels the kernel's name */
	bool is_kernel;
	struct timing time;                     /* of calls, or of kernels on the GPU */
	uint64_t matched, wait_ns, skew_max_ns; /* of calls */
	uint32_t processes;                     /* processes that called it */
	/* Of calls or kernels. All of a row are known if sized, or bus_sized, equals time.count. */
	uint64_t sized, bytes, bus_sized;
	double bus_bytes;
};

struct collectives {
	bool by_rank;
	struct collective_row *row; /* valid after the reading */
	size_t row_count, row_room;
	struct collective_call *call;
	size_t call_count, call_room;
	struct collective_open *open_call; /* all of them, selected or not; in no order */
	size_t open_count, open_room;
	/*
	 * With wants_kernels: those of the GPU, of the same type, from start to end on the GPU, in
	 * no order; name, process, begin_ns and end_ns.
	 */
	struct collective_call *kernel;
	size_t kernel_count, kernel_room;
	uint64_t unmatched; /* labels that processes called unequally often */
	uint64_t unread;    /* labels of which not all calls were read */
	/* labels of hosts whose clocks are not known to be close: they are not matched either */
	uint64_t unclocked;
	uint64_t doubt_ns; /* waits of matched calls between hosts may be that far off */
	uint64_t open;     /* calls whose end was not seen; they are not counted */
};
struct collectives_options {
	enum key_id by;
	bool wants_kernels;
};
ANALYSIS(collectives, struct collectives)

/* The parts of a label: "gloo" and "all_reduce". Returns false if it is of no collective. */
struct collective_label {
	const char *backend, *op;
	size_t backend_length, op_length;
};
bool collective_label_of(const char *text, size_t length, struct collective_label *ret_label);

/*
 * Returns whether a call of this backend lasts as long as its work; for other backends only the
 * host's part is timed.
 */
bool collective_is_timed(const struct collective_label *label);

/* For qsort(), of struct collective_call: by name, by process, by the time of their begin. */
int collectives_compare_calls(const void *a, const void *b);

#endif
