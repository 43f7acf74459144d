/* SPDX-License-Identifier: MIT */
/*
 * The formulas of torch.utils.flop_counter, with checks for overflow. It counts the gradient of a
 * grouped convolution's weight as if there were no groups; so does this.
 */
#include "report/torch/counted_flops.h"

#include <stdbool.h>
#include <string.h>

#include "report/torch/shapes.h"

#define INPUTS_MAX 4u /* the most inputs that a formula uses */
#define DIMENSIONS_MIN 3u

typedef uint64_t flops_formula(const struct shape *input, const struct shape *integers);

/* Elements of a shape, without its first two dimensions. */
static uint64_t flops_spatial(const struct shape *shape)
{
	uint64_t product = 1;

	for (unsigned int i = 2; i < shape->count; i++)
		product = shape_product(product, shape->size[i]);
	return product;
}

/* --- matrix products --- */

static uint64_t flops_product(const struct shape *left, const struct shape *right,
			      unsigned int dimensions)
{
	if (left->count != dimensions || right->count != dimensions ||
	    left->size[dimensions - 1] != right->size[dimensions - 2])
		return COUNTED_FLOPS_UNKNOWN;
	return shape_product(2, shape_product(shape_elements(left), right->size[dimensions - 1]));
}

static uint64_t flops_mm(const struct shape *input, const struct shape *integers)
{
	(void)integers;
	return flops_product(&input[0], &input[1], 2);
}

static uint64_t flops_addmm(const struct shape *input, const struct shape *integers)
{
	(void)integers;
	return flops_product(&input[1], &input[2], 2);
}

static uint64_t flops_bmm(const struct shape *input, const struct shape *integers)
{
	(void)integers;
	return flops_product(&input[0], &input[1], 3);
}

static uint64_t flops_baddbmm(const struct shape *input, const struct shape *integers)
{
	(void)integers;
	return flops_product(&input[1], &input[2], 3);
}

/*
 * A product for each group, as of a mixture of experts. Where one side is a matrix, groups are
 * parts of one of its dimensions. torch.utils.flop_counter does not count them.
 */
static uint64_t flops_grouped_mm(const struct shape *input, const struct shape *integers)
{
	const struct shape *left = &input[0], *right = &input[1];
	uint64_t each, groups;

	(void)integers;
	if (left->count < 2 || left->count > 3 || right->count < 2 || right->count > 3 ||
	    left->size[left->count - 1] != right->size[right->count - 2])
		return COUNTED_FLOPS_UNKNOWN;
	each = shape_product(left->size[left->count - 2], left->size[left->count - 1]);
	groups = left->count == 3 && right->count == 3 ? left->size[0] : 1;
	return shape_product(
		2, shape_product(groups, shape_product(each, right->size[right->count - 1])));
}

/* --- convolutions --- */

/* The integers: stride, padding and dilation of each dimension, then whether it is transposed. */
struct conv {
	const uint64_t *stride, *padding, *dilation;
	bool is_transposed;
	bool has_input_gradient, has_weight_gradient; /* of convolution_backward */
};

/* Behind them: output padding, groups, and backward three more, which gradients are wanted. */
static bool conv_read(const struct shape *integers, const struct shape *image,
		      const struct shape *kernel, bool is_backward, struct conv *ret_conv)
{
	unsigned int dimensions = image->count - 2, mask = 4 * dimensions + 2;

	if (image->count < DIMENSIONS_MIN || kernel->count != image->count ||
	    integers->count != mask + (is_backward ? 3 : 0))
		return false;
	*ret_conv = (struct conv){ .stride = integers->size,
				   .padding = integers->size + dimensions,
				   .dilation = integers->size + 2 * dimensions,
				   .is_transposed = integers->size[3 * dimensions] };
	if (is_backward) {
		ret_conv->has_input_gradient = integers->size[mask];
		ret_conv->has_weight_gradient = integers->size[mask + 1];
	}
	return true;
}

/* Elements of the output of one channel, where it is not transposed; 0: none, or not known. */
static uint64_t conv_output(const struct shape *image, const struct shape *kernel,
			    const struct conv *conv)
{
	uint64_t product = 1, padded, reach;

	for (unsigned int i = 0; i + 2 < image->count; i++) {
		if (__builtin_add_overflow(image->size[2 + i], shape_product(2, conv->padding[i]),
					   &padded) ||
		    !kernel->size[2 + i] || !conv->stride[i])
			return 0;
		reach = shape_product(conv->dilation[i], kernel->size[2 + i] - 1);
		product = padded <= reach
				  ? 0
				  : shape_product(product,
						  (padded - reach - 1) / conv->stride[i] + 1);
	}
	return product;
}

static uint64_t flops_convolution(const struct shape *input, const struct shape *integers)
{
	struct conv conv;
	uint64_t places;

	if (!conv_read(integers, &input[0], &input[1], false, &conv))
		return COUNTED_FLOPS_UNKNOWN;
	places = conv.is_transposed ? flops_spatial(&input[0])
				    : conv_output(&input[0], &input[1], &conv);
	return shape_product(2, shape_product(shape_product(places, input[0].size[0]),
					      shape_elements(&input[1])));
}

/* Inputs: the gradient of the output, the image, the kernel. */
static uint64_t flops_convolution_backward(const struct shape *input, const struct shape *integers)
{
	const struct shape *gradient = &input[0], *image = &input[1], *kernel = &input[2];
	uint64_t places, channels, flops = 0;
	struct conv conv;

	if (!conv_read(integers, image, kernel, true, &conv) || gradient->count != image->count)
		return COUNTED_FLOPS_UNKNOWN;
	places = shape_product(shape_product(2, image->size[0]),
			       flops_spatial(conv.is_transposed ? image : gradient));
	channels = shape_product(image->size[1], gradient->size[1]);
	if (conv.has_input_gradient)
		flops += shape_product(places, shape_elements(kernel));
	if (conv.has_weight_gradient)
		flops += shape_product(places, shape_product(channels, flops_spatial(kernel)));
	return flops;
}

/* --- attention --- */

/* Batches times heads, and a product of three of the sizes, twice. */
static uint64_t flops_each_head(const struct shape *query, uint64_t a, uint64_t b, uint64_t c)
{
	return shape_product(2, shape_product(shape_product(query->size[0], query->size[1]),
					      shape_product(a, shape_product(b, c))));
}

static bool attention_fits(const struct shape *query, const struct shape *key,
			   const struct shape *value)
{
	return query->count == 4 && key->count == 4 && value->count == 4 &&
	       query->size[3] == key->size[3] && key->size[1] == value->size[1];
}

static uint64_t flops_attention(const struct shape *input, const struct shape *integers)
{
	const struct shape *query = &input[0], *key = &input[1], *value = &input[2];

	(void)integers;
	if (!attention_fits(query, key, value))
		return COUNTED_FLOPS_UNKNOWN;
	return flops_each_head(query, query->size[2], query->size[3], key->size[2]) +
	       flops_each_head(query, query->size[2], key->size[2], value->size[3]);
}

/* Inputs: the gradient of the output, then as forward. Five products: scores are computed again. */
static uint64_t flops_attention_backward(const struct shape *input, const struct shape *integers)
{
	const struct shape *query = &input[1], *key = &input[2], *value = &input[3];

	(void)integers;
	if (!attention_fits(query, key, value))
		return COUNTED_FLOPS_UNKNOWN;
	return shape_product(3,
			     flops_each_head(query, query->size[2], query->size[3], key->size[2])) +
	       shape_product(2,
			     flops_each_head(query, query->size[2], key->size[2], value->size[3]));
}

/* --- names --- */

static const struct {
	const char *name;
	flops_formula *formula;
	unsigned int inputs;
	bool has_integers;
} counted[] = {
	{ "aten::mm", flops_mm, 2, false },
	{ "aten::addmm", flops_addmm, 3, false },
	{ "aten::bmm", flops_bmm, 2, false },
	{ "aten::baddbmm", flops_baddbmm, 3, false },
	{ "aten::_scaled_mm", flops_mm, 2, false },
	{ "aten::_grouped_mm", flops_grouped_mm, 2, false },
	{ "aten::_scaled_grouped_mm", flops_grouped_mm, 2, false },
	{ "aten::convolution", flops_convolution, 2, true },
	{ "aten::convolution_backward", flops_convolution_backward, 3, true },
#define ATTENTION(kind)                                                                           \
	{ "aten::_scaled_dot_product_" kind, flops_attention, 3, false },                         \
	{                                                                                         \
		"aten::_scaled_dot_product_" kind "_backward", flops_attention_backward, 4, false \
	}
	ATTENTION("efficient_attention"),
	ATTENTION("flash_attention"),
	ATTENTION("flash_attention_for_cpu"),
	ATTENTION("cudnn_attention"),
#undef ATTENTION
};

uint64_t counted_flops(const struct source_name *name, const struct source_name *shapes,
		       const struct source_name *integers)
{
	struct shape input[INPUTS_MAX], list = { .count = 0 };

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		if (!name->text || strlen(counted[i].name) != name->length ||
		    memcmp(counted[i].name, name->text, name->length) != 0)
			continue;
		if (!shapes->text || shapes_read(shapes->text, shapes->length, input,
						 counted[i].inputs) < counted[i].inputs)
			return COUNTED_FLOPS_UNKNOWN;
		if (counted[i].has_integers &&
		    (!integers->text || !shape_read(integers->text, integers->length, &list)))
			return COUNTED_FLOPS_UNKNOWN;
		for (unsigned int k = 0; k < counted[i].inputs; k++)
			if (input[k].is_list)
				return COUNTED_FLOPS_UNKNOWN;
		return counted[i].formula(input, &list);
	}
	return 0;
}
