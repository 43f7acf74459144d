/* SPDX-License-Identifier: MIT */
/* Computes the formulas of torch.profiler with checks for overflow. */
#include "report/torch/flops.h"

#include <string.h>

#include "report/torch/shapes.h"

#define INPUTS_MAX 3 /* the most inputs that a formula uses */

enum flops_kind flops_kind_of(const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum flops_kind kind;
	} known[] = {
		{ "aten::mm", FLOPS_MM },         { "aten::addmm", FLOPS_ADDMM },
		{ "aten::bmm", FLOPS_BMM },       { "aten::baddbmm", FLOPS_BADDBMM },
		{ "aten::mul", FLOPS_EACH },      { "aten::add", FLOPS_EACH },
		{ "aten::conv2d", FLOPS_CONV2D },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == length && !memcmp(known[i].name, name, length))
			return known[i].kind;
	return FLOPS_NONE;
}

/*
 * Twice the product of the left input's elements and the right input's last dimension; a batch is
 * in the left input.
 */
static uint64_t flops_of_product(const struct shape *left, const struct shape *right,
				 unsigned int dimensions)
{
	if (left->count != dimensions || right->count != dimensions ||
	    left->size[dimensions - 1] != right->size[dimensions - 2])
		return 0;
	return shape_product(2, shape_product(shape_elements(left), right->size[dimensions - 1]));
}

/* Positions of the integers of a convolution. */
enum { STRIDE = 0, PADDING = 2, DILATION = 4, GROUPS = 6, INTEGERS = 7 };

/* Returns the elements of the output along one of its two dimensions; 0: there are none. */
static uint64_t conv2d_output(const struct shape *image, const struct shape *kernel,
			      const struct shape *integers, unsigned int dimension)
{
	uint64_t padded, reach;

	if (__builtin_add_overflow(image->size[2 + dimension],
				   shape_product(2, integers->size[PADDING + dimension]),
				   &padded) ||
	    !kernel->size[2 + dimension] || !integers->size[STRIDE + dimension])
		return 0;
	reach = shape_product(integers->size[DILATION + dimension],
			      kernel->size[2 + dimension] - 1);
	return padded > reach ? (padded - reach - 1) / integers->size[STRIDE + dimension] + 1 : 0;
}

static uint64_t flops_of_conv2d(const struct shape *image, const struct shape *kernel,
				const struct flops_inputs *inputs)
{
	struct shape integers;
	uint64_t flops = 2;

	if (image->count != 4 || kernel->count != 4 ||
	    !shape_read(inputs->integers, inputs->integers_length, &integers) ||
	    integers.count != INTEGERS || !integers.size[GROUPS])
		return 0;
	flops = shape_product(flops, conv2d_output(image, kernel, &integers, 0));
	flops = shape_product(flops, conv2d_output(image, kernel, &integers, 1));
	flops = shape_product(flops, shape_product(image->size[0], image->size[1]));
	flops = shape_product(
		flops,
		shape_product(kernel->size[0], shape_product(kernel->size[2], kernel->size[3])));
	return flops / integers.size[GROUPS];
}

uint64_t flops_of_inputs(enum flops_kind kind, const struct flops_inputs *inputs)
{
	unsigned int wanted = kind == FLOPS_EACH                             ? 1
			      : kind == FLOPS_ADDMM || kind == FLOPS_BADDBMM ? 3
									     : 2;
	struct shape input[INPUTS_MAX];

	if (shapes_read(inputs->shapes, inputs->shapes_length, input, wanted) < wanted)
		return 0;
	for (unsigned int i = 0; i < wanted; i++)
		if (input[i].is_list)
			return 0;
	switch (kind) {
	case FLOPS_MM:
	case FLOPS_ADDMM:
		return flops_of_product(&input[wanted - 2], &input[wanted - 1], 2);
	case FLOPS_BMM:
	case FLOPS_BADDBMM:
		return flops_of_product(&input[wanted - 2], &input[wanted - 1], 3);
	case FLOPS_EACH:
		return shape_elements(&input[0]);
	case FLOPS_CONV2D:
		return flops_of_conv2d(&input[0], &input[1], inputs);
	default:
		return 0;
	}
}
