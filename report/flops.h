/* SPDX-License-Identifier: MIT */
/*
 * Floating-point operations of an operator from the shapes of its inputs, by the formulas of
 * torch.profiler (torch/csrc/profiler/util.cpp, computeFlops()). A convolution needs more than shapes.
 */
#ifndef REPORT_FLOPS_H
#define REPORT_FLOPS_H

#include <stddef.h>
#include <stdint.h>

enum flops_kind {
	FLOPS_NONE,    /* not known */
	FLOPS_MM,      /* 2 M K N of inputs 0 and 1 */
	FLOPS_ADDMM,   /* the same of inputs 1 and 2 */
	FLOPS_BMM,     /* 2 B M K N of inputs 0 and 1 */
	FLOPS_BADDBMM, /* the same of inputs 1 and 2 */
	FLOPS_EACH,    /* one for each element of input 0 */
};

enum flops_kind flops_kind_of(const char *name, size_t length);

/* `shapes` as torch.profiler writes them: [[16, 8], [8, 4], []]. 0: they are not those of the kind. */
uint64_t flops_of_shapes(enum flops_kind kind, const char *shapes, size_t length);

#endif
