/* SPDX-License-Identifier: MIT */
/*
 * What an operator of torch.distributed (c10d::allreduce_ and so on) moves: bytes of its first two arguments, and how
 * many ranks its group has. What of these is the size of the operation is the report's business.
 *
 * The size of a group has no function that could be called: it is read where the process' own rank and number of ranks
 * (region/ranks.def) stand side by side in a group, in one place only. Without such variables, or in a group class of the
 * program's own, it is not known. Looks at what is alive while the operator runs. Any thread, no lock, no allocation.
 */
#ifndef PRELOAD_TORCH_TORCH_COLLECTIVE_H
#define PRELOAD_TORCH_TORCH_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/torch/torch_layout.h"

#define TORCH_COLLECTIVE_UNKNOWN (-1)

/* Of a tensor, a list of tensors or a list of such lists; 0: of anything else; TORCH_COLLECTIVE_UNKNOWN. */
int64_t torch_collective_bytes(const struct torch_value *value);

/* Where groups keep their numbers; 0: nobody knows. `rank` and `ranks` are the process' own, `group_class` what the
 * first word of a group is. */
uint64_t torch_collective_ranks(const struct torch_value *inputs, size_t count,
				uint64_t group_class, uint64_t rank, uint64_t ranks);

#endif
