/* SPDX-License-Identifier: MIT */
/*
 * Floating-point operations of an operator as torch.utils.flop_counter counts them: of matrix
 * products, convolutions and attention, forward and backward, and of nothing else. Each is counted
 * at the operator that computes it, not at those around it, so the sum over all operators counts
 * each once. From the sizes of the inputs alone; no memory is allocated.
 */
#ifndef REPORT_TORCH_COUNTED_FLOPS_H
#define REPORT_TORCH_COUNTED_FLOPS_H

#include <stdint.h>

#include "report/session/source.h"

/* It is counted, but its inputs were not recorded, or not all of them (older recordings). */
#define COUNTED_FLOPS_UNKNOWN UINT64_MAX

/* 0: it is not counted. `shapes` and `integers` are texts of event torch_inputs. */
uint64_t counted_flops(const struct source_name *name, const struct source_name *shapes,
		       const struct source_name *integers);

#endif
