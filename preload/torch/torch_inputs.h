/* SPDX-License-Identifier: MIT */
/*
 * The event that tells an operator's inputs, as names whose texts torch_shapes.h makes. What is hashed
 * is the description, so that a text is made only when the collector does not have it yet.
 *
 * Those of torch.distributed have an event more, with what they move (torch_collective.h).
 *
 * What an operator gets besides tensors is not kept, but for the integers of aten::conv2d, which the
 * number of its floating point operations is computed from. Any thread, no lock, no allocation.
 */
#ifndef PRELOAD_TORCH_TORCH_INPUTS_H
#define PRELOAD_TORCH_TORCH_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "preload/record/recorder.h"
#include "preload/torch/torch_layout.h"

/* Once, before operators are recorded; takes ld.so's lock. */
void torch_inputs_prepare(void);

/* Of the operator `name`, whose event has that id, which has just begun with one input or more; the lane is held, IN_RECORD. */
void torch_inputs_record(const char *name, uint64_t id, const struct torch_value *inputs,
			 size_t count, uint64_t ticks, struct recorder_lane *lane);

#endif
