/* SPDX-License-Identifier: MIT */
/*
 * Shapes and element types of an operator's inputs, read from the texts of event torch_inputs, which torch.profiler writes
 * the same way: [[16, 8], [[2, 3], [2, 3]], []] and ['float', 'TensorList', 'Scalar']. The texts may be anything: what cannot
 * be read ends the list. Nothing is allocated.
 */
#ifndef REPORT_TORCH_SHAPES_H
#define REPORT_TORCH_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHAPE_DIMENSIONS_MAX 16u
#define SHAPE_INPUTS_MAX 16u

struct shape {
	uint64_t size[SHAPE_DIMENSIONS_MAX];
	unsigned int count;
	bool is_list;           /* of tensors: sizes are not kept */
	uint64_t list_elements; /* of all of them; 0 when that is too many */
};

/* The first inputs, at most `room`; returns how many could be read. */
unsigned int shapes_read(const char *text, size_t length, struct shape *shape, unsigned int room);
/* One [a, b, ...] alone; false when it is none. */
bool shape_read(const char *text, size_t length, struct shape *ret_shape);
/* Bytes of an element of each input; 0: no tensor, or a type that is not known. Returns as shapes_read(). */
unsigned int element_bytes_read(const char *text, size_t length, uint8_t *bytes, unsigned int room);

/* 1 without dimensions; 0 when it is too much for 64 bits. */
uint64_t shape_elements(const struct shape *shape);
/* a times b; 0 when it is too much for 64 bits. */
uint64_t shape_product(uint64_t a, uint64_t b);

#endif
