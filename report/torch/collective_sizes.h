/* SPDX-License-Identifier: MIT */
/*
 * The bytes that each operation of torch.distributed moves, from the operators that start them
 * (event torch_collective), by the definitions of nccl-tests (collective_ops.def); and which
 * operation is open on a thread.
 *
 * Bytes are those that the definition counts for the call of one rank. If a group's number of ranks
 * is not known, what depends on it is not known either. Memory grows with operations. To be used by
 * one thread.
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
#define COLLECTIVE_UNKNOWN UINT64_MAX /* the number of bytes is not known */

struct collective_size {
	uint32_t process; /* index */
	enum collective_kind kind;
	uint64_t bytes;
	double bus_bytes; /* bytes * factor; negative: not known */
	bool counts;
	/* For the users of this object: a label began within it; a kernel was launched in it. */
	bool is_claimed, has_kernel;
};

struct collective_sizes {
	struct collective_size *size; /* in order of time within each process only */
	size_t count, room;
};
struct collective_sizes_options {
	uint32_t none;
};
ANALYSIS(collective_sizes, struct collective_sizes)

/* Adds the second to the first; the sum is not known if one of them is not. */
void collective_size_add(struct collective_size *to, const struct collective_size *more);

/* Returns the index + 1 of the innermost operation that is open on the thread; 0: none. */
uint32_t collective_sizes_open(const struct collective_sizes *sizes, uint32_t thread);

/* By the operation of a label: all_reduce of gloo:all_reduce. */
enum collective_kind collective_kind_of(const char *op, size_t length);

/*
 * Returns the bytes that an operator of that name moves; also for tests. `first` and `second`
 * negative, `ranks` 0: not known.
 */
bool collective_size_of(const char *name, size_t length, int64_t first, int64_t second,
			uint64_t ranks, struct collective_size *ret_size);

#endif
