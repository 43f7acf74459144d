/* SPDX-License-Identifier: MIT */
/*
 * What PyProf shows of each kernel: the operator that launched it, forward or backward, where the
 * two are matched by autograd's sequence number; the module and the Python line of the forward
 * operator; and its inputs, FLOPs and bytes.
 *
 * An operator is the innermost one in which the kernel was launched, without user scopes; in a
 * backward function it is the forward operator with its number. FLOPs and bytes are those of the
 * innermost operator around the launch that has a formula (op_costs.def). They count for those of
 * its kernels that compute. Filters apply to the launch.
 *
 * Memory grows with distinct operators and inputs, with launches whose work has not been reported,
 * with forward operators whose backward function has not run, and by one byte for each called
 * operator. Kernels are kept in a temporary file (report/base/spool.h). To be used by one thread.
 */
#ifndef REPORT_TORCH_PYPROF_H
#define REPORT_TORCH_PYPROF_H

#include "report/core/key.h"
#include "report/deferred/deferred.h"
#include "report/torch/op_costs.h"

#define PYPROF_NO_SEQUENCE UINT64_MAX
#define PYPROF_NO_NAME UINT32_MAX

/* An operator as it is called; names are indices. */
struct pyprof_op {
	uint32_t name;                    /* PYPROF_NO_NAME: none */
	uint32_t shapes, types, integers; /* PYPROF_NO_NAME: not recorded */
	uint32_t module;                  /* innermost nn.Module; PYPROF_NO_NAME: none */
	uint64_t line;                    /* of key_kind_python; 0: not known */
};

/* Where a kernel was launched. */
struct pyprof_call {
	struct pyprof_op op;
	bool is_backward;
	bool is_node; /* op is a backward function whose forward operator is not known */
	uint64_t sequence, other_sequence; /* PYPROF_NO_SEQUENCE: none */
	uint64_t instance;                 /* identifies the operator call that has this cost */
	struct op_cost cost;
};

struct pyprof_kernel {
	uint64_t duration_ns;
	uint32_t process, thread, name, device, stream, grid[3], block[3];
	bool has_call, uses_tensor_cores, is_helper;
	struct pyprof_call call;
	/* number of directly preceding kernels of the same operator and sequence number */
	uint32_t sub;
	bool has_its_cost; /* the cost belongs to this kernel and similar ones */
};

struct pyprof {
	uint64_t count; /* kernels */
	uint64_t total_ns, backward_ns, tensor_core_ns, flops;
	uint64_t inputs; /* calls of operators whose inputs were recorded */
	struct deferred *deferred;
	const struct key_kind *line_kind; /* of the Python line */
	const void *line;                 /* its state */
};
struct pyprof_options {
	uint32_t none;
};
ANALYSIS(pyprof, struct pyprof)

/*
 * After the reading: kernels by their start, from the first one; may be called any number of times.
 */
void pyprof_rewind(struct pyprof *pyprof);
/* Returns false behind the last kernel. */
bool pyprof_next(struct pyprof *pyprof, struct pyprof_kernel *ret_kernel);

/* --- rows_pyprof.c --- */

/* What is needed to make rows on demand; it lives as long as the table. */
struct table;
struct pyprof_rows;
struct pyprof_rows *pyprof_rows_new(struct pyprof *pyprof, const struct run *run);
void pyprof_rows_put(struct pyprof_rows *rows, struct table *table);
void pyprof_rows_free(struct pyprof_rows *rows);

#endif
