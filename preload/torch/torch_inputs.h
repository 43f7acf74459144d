/* SPDX-License-Identifier: MIT */
/*
 * The event that tells an operator's inputs, as names whose texts torch_shapes.h makes. What is hashed
 * is the description, so that a text is made only when the collector does not have it yet.
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

/* Of the operator `name` that has just begun; the lane is held, IN_RECORD. */
void torch_inputs_record(const char *name, const struct torch_value *inputs, size_t count,
			 uint64_t ticks, struct recorder_lane *lane);

#endif
