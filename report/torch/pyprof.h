/* SPDX-License-Identifier: MIT */
/*
 * What PyProf knows of each kernel: the operator that launched it, forward or backward, which belong together by autograd's
 * sequence number; the module and the line of Python of the forward operator; its inputs, FLOPs and bytes.
 *
 * An operator is the innermost one in which the kernel was launched, user scopes looked through; in a backward function the
 * forward operator of its number. FLOPs and bytes are of the innermost operator around the launch that has a formula
 * (op_costs.def), and count for as many of its kernels as compute. Filters look at the launch.
 *
 * Memory grows with distinct operators and inputs, with launches whose work has not been told, with forward operators whose
 * backward function has not run, and by a byte an operator called. Kernels wait in a temporary file (report/base/spool.h).
 * One thread.
 */
#ifndef REPORT_TORCH_PYPROF_H
#define REPORT_TORCH_PYPROF_H

#include "report/core/key.h"
#include "report/deferred/deferred.h"
#include "report/torch/op_costs.h"

#define PYPROF_NO_SEQUENCE UINT64_MAX
#define PYPROF_NO_NAME UINT32_MAX

/* An operator as it is called: names are indices. */
struct pyprof_op {
	uint32_t name;                    /* PYPROF_NO_NAME: none */
	uint32_t shapes, types, integers; /* PYPROF_NO_NAME: not recorded */
	uint32_t module;                  /* innermost nn.Module, PYPROF_NO_NAME: none */
	uint64_t line;                    /* of key_kind_python, 0: not known */
};

/* Where a kernel was launched. */
struct pyprof_call {
	struct pyprof_op op;
	bool is_backward;
	bool is_node; /* op is a backward function whose forward operator is not known */
	uint64_t sequence, other_sequence; /* PYPROF_NO_SEQUENCE: none */
	uint64_t instance;                 /* the call of the operator whose cost this is */
	struct op_cost cost;
};

struct pyprof_kernel {
	uint64_t duration_ns;
	uint32_t process, thread, name, device, stream, grid[3], block[3];
	bool has_call, uses_tensor_cores, is_helper;
	struct pyprof_call call;
	uint32_t sub;      /* of the same operator and number right before it */
	bool has_its_cost; /* it is one of the kernels that the cost is of */
};

struct pyprof {
	uint64_t count; /* kernels */
	uint64_t total_ns, backward_ns, tensor_core_ns, flops;
	uint64_t inputs; /* calls of operators whose inputs were recorded */
	struct deferred *deferred;
	const struct key_kind *line_kind; /* of the line of Python */
	const void *line;                 /* its state */
};
struct pyprof_options {
	uint32_t none;
};
ANALYSIS(pyprof, struct pyprof)

/* Once all is read: kernels by their start, from the first one, any number of times. */
void pyprof_rewind(struct pyprof *pyprof);
/* False behind the last. */
bool pyprof_next(struct pyprof *pyprof, struct pyprof_kernel *ret_kernel);

/* --- rows_pyprof.c --- */

/* Rows are made when they are needed: this is what is left to do, as long as the table. */
struct table;
struct pyprof_rows;
struct pyprof_rows *pyprof_rows_new(struct pyprof *pyprof, const struct run *run);
void pyprof_rows_put(struct pyprof_rows *rows, struct table *table);
void pyprof_rows_free(struct pyprof_rows *rows);

#endif
