/* SPDX-License-Identifier: MIT */
/*
 * Reads the shapes and element types of an operator's inputs from the texts of event torch_inputs,
 * which torch.profiler writes in the same form: [[16, 8], [[2, 3], [2, 3]], []] and ['float',
 * 'TensorList', 'Scalar']. The texts may contain anything: the list ends at what cannot be read. No
 * memory is allocated.
 */
#ifndef REPORT_TORCH_SHAPES_H
#define REPORT_TORCH_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHAPE_DIMENSIONS_MAX 20u /* convolution_backward of three dimensions has 17 integers */
#define SHAPE_INPUTS_MAX 16u

struct shape {
	uint64_t size[SHAPE_DIMENSIONS_MAX];
	unsigned int count;
	bool is_list;           /* of tensors, whose sizes are not kept */
	uint64_t list_elements; /* of all of them; 0: too many */
};

/* Reads the first inputs, at most `room`; returns how many could be read. */
unsigned int shapes_read(const char *text, size_t length, struct shape *shape, unsigned int room);
/* Reads one shape [a, b, ...] alone; returns false if it is none. */
bool shape_read(const char *text, size_t length, struct shape *ret_shape);
/*
 * Bytes of an element of each input; 0: no tensor, or an unknown type. Returns the same as
 * shapes_read().
 */
unsigned int element_bytes_read(const char *text, size_t length, uint8_t *bytes, unsigned int room);

/* 1 without dimensions; 0 if it exceeds 64 bits. */
uint64_t shape_elements(const struct shape *shape);
/* a times b; 0 if it exceeds 64 bits. */
uint64_t shape_product(uint64_t a, uint64_t b);

#endif
