/* SPDX-License-Identifier: MIT */
/*
 * Sizes and element types of an operator's inputs, described by a few words, and the texts of such
 * descriptions: `[[16, 1, 8, 8], [4, 1, 3, 3], []]` and `['float', 'float', '']`, as in
 * torch.profiler, except that lists of tensors are written out. Equal inputs have equal words.
 *
 * Uses the layout that torch_layout.h has found and allocates nothing. Any thread.
 */
#ifndef PRELOAD_TORCH_TORCH_SHAPES_H
#define PRELOAD_TORCH_TORCH_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/torch/torch_layout.h"

#define TORCH_SHAPES_INPUTS 48u
#define TORCH_SHAPES_WORDS 384u /* what does not fit is left out and shown as "..." */
#define TORCH_SHAPES_TEXT 4096u

struct torch_shapes {
	unsigned int words, types;
	bool cut;
	uint64_t word[TORCH_SHAPES_WORDS];
	uint8_t type[TORCH_SHAPES_INPUTS];
};

struct torch_text {
	unsigned int length;
	char bytes[TORCH_SHAPES_TEXT]; /* cut at its end, not terminated */
};

/* Writes only the used part of *shapes. */
void torch_shapes_describe(struct torch_shapes *shapes, const struct torch_value *inputs,
			   size_t count);
/*
 * Returns the element types of the tensors among the inputs, and in their lists, that have a
 * dimension: bit N for c10::ScalarType N.
 */
uint64_t torch_shapes_types(const struct torch_value *inputs, size_t count);
/*
 * Describes the integers among the inputs and in their lists, 0 for everything else. Types stay
 * empty.
 */
void torch_shapes_describe_integers(struct torch_shapes *shapes, const struct torch_value *inputs,
				    size_t count);

void torch_shapes_text(const struct torch_shapes *shapes, struct torch_text *text);
void torch_shapes_types_text(const struct torch_shapes *shapes, struct torch_text *text);
void torch_shapes_integers_text(const struct torch_shapes *shapes, struct torch_text *text);

#endif
