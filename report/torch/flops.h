/* SPDX-License-Identifier: MIT */
/*
 * Floating-point operations of an operator from the shapes of its inputs, by the formulas of
 * torch.profiler (torch/csrc/profiler/util.cpp, computeFlops()); 0: not known.
 */
#ifndef REPORT_TORCH_FLOPS_H
#define REPORT_TORCH_FLOPS_H

#include <stddef.h>
#include <stdint.h>

enum flops_kind {
	FLOPS_NONE,    /* not known */
	FLOPS_MM,      /* 2 M K N of inputs 0 and 1 */
	FLOPS_ADDMM,   /* the same of inputs 1 and 2 */
	FLOPS_BMM,     /* 2 B M K N of inputs 0 and 1 */
	FLOPS_BADDBMM, /* the same of inputs 1 and 2 */
	FLOPS_EACH,    /* one for each element of input 0 */
	FLOPS_CONV2D,  /* 2 N Ho Wo kh kw Cin Cout / groups of inputs 0 and 1 and of integers */
};

enum flops_kind flops_kind_of(const char *name, size_t length);

struct flops_inputs {
	const char *shapes; /* as torch.profiler writes them: [[16, 8], [8, 4], []] */
	size_t shapes_length;
	/* for FLOPS_CONV2D: two each of stride, padding and dilation; then groups */
	const char *integers;
	size_t integers_length;
};
uint64_t flops_of_inputs(enum flops_kind kind, const struct flops_inputs *inputs);

#endif
