/* SPDX-License-Identifier: MIT */
/*
 * Passes of autograd's engine, and how many nodes of graphs a thread has recorded. With them the
 * report knows forward and backward of a step where PyTorch's operators are sampled
 * (INTERCEPT_OPERATORS): a thread that has recorded nodes since its last edge ran forward. Each is
 * recorded, at a cost of one event an edge, with no callback of PyTorch's. Where all operators are
 * recorded, these tell it, and nothing is recorded here.
 */
#ifndef PRELOAD_TORCH_TORCH_PASSES_H
#define PRELOAD_TORCH_TORCH_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/recorder.h"

extern bool torch_passes_on PRELOAD_HIDDEN;
/*
 * Operators are about to be recorded: if they are sampled, passes are recorded from now on, if they
 * can be. `nodes`: at::sequence_number::peek(), or NULL.
 */
void torch_passes_run(int64_t (*nodes)(void));

/* True if the scope of that name is a phase of a loop, of which nodes are told at both edges. */
bool torch_passes_wants(const char *name);
/* Tells nodes, before an edge. */
void torch_passes_edge(struct recorder_lane *lane, uint64_t ticks);

#endif
