/* SPDX-License-Identifier: MIT */
/*
 * FLOPs and bytes of an operator from the shapes of its inputs. The formulas are PyProf's
 * (op_costs.def) without two mistakes: it used one operand's element size for all three, and did
 * not count the batch. A fused multiply-add (FMA) counts as two. No memory is allocated.
 */
#ifndef REPORT_TORCH_OP_COSTS_H
#define REPORT_TORCH_OP_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct op_cost {
	bool is_known;
	bool is_product; /* a matrix product or convolution, which tensor cores can compute */
	bool has_bytes;  /* element types are known */
	/* so many of its kernels do that each; its other kernels are helpers */
	unsigned int kernels;
	uint64_t flops, bytes;
};

struct op_inputs {
	const char *name; /* of the operator */
	size_t name_length;
	const char *shapes, *types, *integers; /* as in event torch_inputs */
	size_t shapes_length, types_length, integers_length;
};

/* is_known is false if there is no formula, or if the inputs do not fit it. */
struct op_cost op_cost_of(const struct op_inputs *inputs);
/* Returns whether there is a formula of that name, for a product. */
bool op_is_product(const char *name, size_t length);

#endif
