/* SPDX-License-Identifier: MIT */
/*
 * What an operator of torch.distributed (c10d::allreduce_ and so on) moves: the bytes of its first
 * two arguments, and the number of ranks in its group. The report decides which of these is the
 * size of the operation.
 *
 * No function returns the size of a group. It is read where the process's own rank and number of
 * ranks (region/ranks.def) are side by side in a group, in one place only. Without these variables,
 * or with a group class of the program's own, it is not known. Reads only what is alive while the
 * operator runs. Any thread, no lock, no allocation.
 */
#ifndef PRELOAD_TORCH_TORCH_COLLECTIVE_H
#define PRELOAD_TORCH_TORCH_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/torch/torch_layout.h"

#define TORCH_COLLECTIVE_UNKNOWN (-1)

/*
 * Returns the bytes of a tensor, a list of tensors or a list of such lists; 0 for anything else;
 * TORCH_COLLECTIVE_UNKNOWN.
 */
int64_t torch_collective_bytes(const struct torch_value *value);

/*
 * Returns the number of ranks of the group; 0: not known. `rank` and `ranks` are the process's own,
 * `group_class` is the first word of a group.
 */
uint64_t torch_collective_ranks(const struct torch_value *inputs, size_t count,
				uint64_t group_class, uint64_t rank, uint64_t ranks);

#endif
