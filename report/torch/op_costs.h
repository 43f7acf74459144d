/* SPDX-License-Identifier: MIT */
/*
 * FLOPs and bytes of an operator by the shapes of its inputs: PyProf's formulas (op_costs.def) but for its mistakes, the
 * element size that counted for one of three operands and the batch that did not count. FMA is two. Nothing is allocated.
 */
#ifndef REPORT_TORCH_OP_COSTS_H
#define REPORT_TORCH_OP_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct op_cost {
	bool is_known;
	bool is_product;      /* a matrix product or convolution: what tensor cores can do */
	bool has_bytes;       /* element types are known */
	unsigned int kernels; /* so many of its kernels do that each; the others only help */
	uint64_t flops, bytes;
};

struct op_inputs {
	const char *name; /* of the operator */
	size_t name_length;
	const char *shapes, *types, *integers; /* as event torch_inputs has them */
	size_t shapes_length, types_length, integers_length;
};

/* is_known is false where there is no formula, or the inputs do not fit it. */
struct op_cost op_cost_of(const struct op_inputs *inputs);
/* Whether there is a formula of that name that is a product's. */
bool op_is_product(const char *name, size_t length);

#endif
