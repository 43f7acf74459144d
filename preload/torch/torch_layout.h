/* SPDX-License-Identifier: MIT */
/*
 * Where the shape and the element type of a tensor lie, and which tags lists and booleans have: found
 * by looking at inputs that are known (bootstrap.py shows them), since they differ between versions of
 * torch and there are no headers here. Looking only, at memory that is alive while the operator runs.
 *
 * One thread shows; afterwards the layout is read only.
 */
#ifndef PRELOAD_TORCH_TORCH_LAYOUT_H
#define PRELOAD_TORCH_TORCH_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* c10::IValue. The first tags are those of torch 1.13 to 2.15. */
struct torch_value {
	uint64_t payload;
	uint32_t tag;
	uint32_t unused;
};

enum torch_tag {
	TORCH_TAG_TENSOR = 1,
	TORCH_TAG_DOUBLE = 3,
	TORCH_TAG_COMPLEX = 4,
	TORCH_TAG_INT = 5,
};

struct torch_layout {
	unsigned int sizes; /* word of a c10::TensorImpl: number of dimensions, the sizes follow */
	unsigned int type_half; /* 16-bit unit of it: c10::ScalarType */
	unsigned int list;      /* word of a c10::detail::ListImpl: begin and end of its values */
	uint32_t tag_list, tag_bool;
	const void *undefined; /* the tensor that is none; NULL: not known */
};

/* More sizes than these are elsewhere: the word behind the number is their address. */
#define TORCH_SIZES_INLINE 5u

extern struct torch_layout torch_layout;

/* The inputs of the next operator shown, in bootstrap.py's order. */
void torch_layout_look(const struct torch_value *inputs, size_t count);

/* All was shown: is the layout known, each part of it in one way only? */
bool torch_layout_found(void);

#endif
