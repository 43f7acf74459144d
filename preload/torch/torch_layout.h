/* SPDX-License-Identifier: MIT */
/*
 * Where a tensor has its shape and element type, and which tags lists and booleans have. They
 * differ between versions of torch, and there are no headers here. So they are found by examining
 * known inputs, which bootstrap.py passes. Only memory that is alive while the operator runs is
 * read.
 *
 * One thread runs the operators; afterwards the layout is only read.
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
	unsigned int sizes; /* word of a c10::TensorImpl: number of dimensions; the sizes follow */
	unsigned int type_half; /* 16-bit unit of a TensorImpl: c10::ScalarType */
	unsigned int list;      /* word of a c10::detail::ListImpl: begin and end of its values */
	uint32_t tag_list, tag_bool;
	const void *undefined; /* the undefined tensor; NULL: not known */
};

/* If there are more sizes, they are elsewhere, and the word after the number is their address. */
#define TORCH_SIZES_INLINE 5u

extern struct torch_layout torch_layout;

/* Takes the inputs of the next known operator, in bootstrap.py's order. */
void torch_layout_look(const struct torch_value *inputs, size_t count);

/* Call when all were run. True if each part of the layout was found in exactly one way. */
bool torch_layout_found(void);

#endif
