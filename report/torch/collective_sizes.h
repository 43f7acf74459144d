/* SPDX-License-Identifier: MIT */
/*
 * What each operation of torch.distributed moves, by the operators that ask for it (event torch_collective), with
 * nccl-tests' definitions (collective_ops.def); and which of them is open on a thread.
 *
 * Bytes are of one rank's call: those that the definition counts. Where a group's number of ranks is not known, what depends on it
 * is not either. Memory grows with operations. One thread.
 */
#ifndef REPORT_TORCH_COLLECTIVE_SIZES_H
#define REPORT_TORCH_COLLECTIVE_SIZES_H

#include "report/core/analysis.h"

enum collective_kind {
#define KIND(name, factor) COLLECTIVE_##name,
#include "report/torch/collective_ops.def"
	COLLECTIVE_KINDS
};

#define COLLECTIVE_NO_KIND COLLECTIVE_KINDS
#define COLLECTIVE_UNKNOWN UINT64_MAX /* of bytes */

struct collective_size {
	uint32_t process; /* index */
	enum collective_kind kind;
	uint64_t bytes;
	double bus_bytes; /* bytes * factor; below 0: not known */
	bool counts;
	/* For those who ask: a label began within it, a kernel was launched in it. */
	bool is_claimed, has_kernel;
};

struct collective_sizes {
	struct collective_size *size; /* in order of time, but within a process only */
	size_t count, room;
};
struct collective_sizes_options {
	uint32_t none;
};
ANALYSIS(collective_sizes, struct collective_sizes)

/* The sum of two: not known where one of them is not. */
void collective_size_add(struct collective_size *to, const struct collective_size *more);

/* The innermost one open on the thread, its place in `size` + 1; 0: none. */
uint32_t collective_sizes_open(const struct collective_sizes *sizes, uint32_t thread);

/* By the operation of a label: all_reduce of gloo:all_reduce. */
enum collective_kind collective_kind_of(const char *op, size_t length);

/* What an operator of that name moves; for tests as well. `first` and `second` below 0, `ranks` 0: not known. */
bool collective_size_of(const char *name, size_t length, int64_t first, int64_t second,
			uint64_t ranks, struct collective_size *ret_size);

#endif
