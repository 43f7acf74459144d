/* SPDX-License-Identifier: MIT */
/*
 * The event with an operator's inputs, as names whose texts torch_shapes.h makes. The hash is taken
 * of the description, so that a text is made only if the collector does not have it yet.
 *
 * Operators of torch.distributed have a second event, with what they move (torch_collective.h).
 *
 * Inputs other than tensors are not kept, except the integers of aten::conv2d, which are needed to
 * compute its floating-point operations. Any thread, no lock, no allocation.
 */
#ifndef PRELOAD_TORCH_TORCH_INPUTS_H
#define PRELOAD_TORCH_TORCH_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "preload/record/recorder.h"
#include "preload/torch/torch_layout.h"

/* Call once, before operators are recorded. Takes ld.so's lock. */
void torch_inputs_prepare(void);

/*
 * For the operator `name`, whose event has that id and which has just begun with at least one
 * input. The lane is held, IN_RECORD.
 */
void torch_inputs_record(const char *name, uint64_t id, const struct torch_value *inputs,
			 size_t count, uint64_t ticks, struct recorder_lane *lane);

#endif
