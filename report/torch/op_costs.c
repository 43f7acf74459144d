/* SPDX-License-Identifier: MIT */
/* Finds the formula by the operator's name and applies it to the shapes. */
#include "report/torch/op_costs.h"

#include <string.h>

#include "report/torch/flops.h"
#include "report/torch/shapes.h"

#define NAMESPACE "aten::"

enum cost_kind {
	COST_PRODUCT,
	COST_LINEAR,
	COST_CONVOLUTION,
	COST_GRADIENTS,
	COST_EACH,
	COST_JOINED,
	COST_COMPARED,
	COST_REDUCED,
	COST_LOSS,
	COST_COPIED,
	COST_LISTED,
	COST_LOOKED_UP,
};

struct formula {
	const char *name;
	enum cost_kind kind;
	unsigned int flops, bytes;
};

struct operand {
	struct shape shape[SHAPE_INPUTS_MAX];
	uint8_t element_bytes[SHAPE_INPUTS_MAX]; /* 0: no tensor, or not known */
	unsigned int count;
};

static const struct formula formulas[] = {
#define COST(name, kind, flops, bytes) { name, COST_##kind, flops, bytes },
#include "report/torch/op_costs.def"
};

/* Operators that work in place have the cost of those that do not. */
static const struct formula *formula_of(const char *name, size_t length)
{
	if (length <= strlen(NAMESPACE) || memcmp(name, NAMESPACE, strlen(NAMESPACE)) != 0)
		return NULL;
	name += strlen(NAMESPACE);
	length -= strlen(NAMESPACE);
	if (name[length - 1] == '_')
		length--;
	for (size_t i = 0; i < sizeof(formulas) / sizeof(formulas[0]); i++)
		if (strlen(formulas[i].name) == length && !memcmp(formulas[i].name, name, length))
			return &formulas[i];
	return NULL;
}

bool op_is_product(const char *name, size_t length)
{
	const struct formula *formula = formula_of(name, length);

	return formula && formula->kind <= COST_GRADIENTS;
}

static uint64_t elements_of(const struct operand *operand, unsigned int input)
{
	return input < operand->count ? shape_elements(&operand->shape[input]) : 0;
}

static struct op_cost cost_put(const struct operand *operand, uint64_t flops, uint64_t bytes)
{
	return (struct op_cost){ .is_known = true,
				 .has_bytes = operand->element_bytes[0] != 0,
				 .kernels = 1,
				 .flops = flops,
				 .bytes = operand->element_bytes[0] ? bytes : 0 };
}

/* --- products --- */

static struct op_cost product_put(const struct operand *operand, unsigned int typed, uint64_t flops,
				  uint64_t elements)
{
	uint8_t size = operand->element_bytes[typed];

	if (!flops)
		return (struct op_cost){ 0 };
	return (struct op_cost){ .is_known = true,
				 .is_product = true,
				 .has_bytes = size != 0,
				 .kernels = 1,
				 .flops = flops,
				 .bytes = shape_product(size, elements) };
}

/*
 * Uses the last two dimensions of both operands. The dimensions before them are the batch, the
 * larger of the two.
 */
static struct op_cost cost_of_product(const struct operand *operand, unsigned int left,
				      bool is_transposed)
{
	const struct shape *a = &operand->shape[left], *b = &operand->shape[left + 1];
	uint64_t m = 1, n = 1, k, inner, out;

	if (operand->count < left + 2 || !a->count || b->count < 1)
		return (struct op_cost){ 0 };
	k = a->size[a->count - 1];
	inner = b->count == 1   ? b->size[0]
		: is_transposed ? b->size[b->count - 1]
				: b->size[b->count - 2];
	if (k != inner || !k)
		return (struct op_cost){ 0 };
	if (b->count > 1)
		n = b->size[is_transposed ? b->count - 2 : b->count - 1];
	m = shape_elements(a) / k;
	out = shape_product(m, n);
	if (b->count > a->count && shape_elements(b) > shape_product(k, n))
		out = shape_product(out, shape_elements(b) / shape_product(k, n));
	return product_put(operand, left, shape_product(2, shape_product(out, k)),
			   shape_elements(a) + shape_elements(b) + out);
}

static struct op_cost cost_of_convolution(const struct operand *operand,
					  const struct op_inputs *inputs)
{
	const struct flops_inputs what = { inputs->shapes, inputs->shapes_length, inputs->integers,
					   inputs->integers_length };
	uint64_t flops = flops_of_inputs(FLOPS_CONV2D, &what);
	uint64_t weight = elements_of(operand, 1), filters, out;

	if (!flops || operand->shape[1].count != 4 || !weight)
		return (struct op_cost){ 0 };
	filters = operand->shape[1].size[0];
	out = flops / 2 / (weight / filters);
	return product_put(operand, 0, flops, elements_of(operand, 0) + weight + out);
}

/*
 * For the output's gradient, the input and the weight: the cost of the gradients of the last two,
 * one kernel each.
 */
static struct op_cost cost_of_gradients(const struct operand *operand)
{
	uint64_t weight = elements_of(operand, 2), filters, out = elements_of(operand, 0);
	struct op_cost cost;

	if (operand->count < 3 || operand->shape[2].count < 3 || !weight)
		return (struct op_cost){ 0 };
	filters = operand->shape[2].size[0];
	cost = product_put(operand, 0, shape_product(2, shape_product(out, weight / filters)),
			   out + elements_of(operand, 1) + weight);
	cost.kernels = 2;
	return cost;
}

/* --- the others --- */

/*
 * The shape of the result by PyTorch's broadcasting: for each dimension, counted from the last one,
 * the largest.
 */
static void shape_broadcast(struct shape *result, const struct shape *more)
{
	for (unsigned int i = 0; i < more->count; i++) {
		uint64_t size = more->size[more->count - 1 - i];

		if (i >= result->count)
			result->size[i] = size;
		else if (result->size[i] == 1)
			result->size[i] = size;
	}
	if (more->count > result->count)
		result->count = more->count;
}

static struct op_cost cost_of_joined(const struct operand *operand, unsigned int flops,
				     uint64_t result_bytes)
{
	struct shape result = { .count = 0 }; /* the last dimension first */
	uint64_t elements, bytes = 0, size = 0;

	for (unsigned int i = 0; i < operand->count; i++) {
		if (!operand->element_bytes[i])
			continue;
		shape_broadcast(&result, &operand->shape[i]);
		if (operand->element_bytes[i] > size)
			size = operand->element_bytes[i];
		bytes += shape_product(operand->element_bytes[i],
				       shape_elements(&operand->shape[i]));
	}
	elements = shape_elements(&result);
	bytes += shape_product(result_bytes ? result_bytes : size, elements);
	return cost_put(operand, shape_product(flops, elements), bytes);
}

static struct op_cost cost_of_copy(const struct operand *operand)
{
	return cost_put(operand, 0,
			shape_product(operand->element_bytes[0], elements_of(operand, 0)) +
				shape_product(operand->element_bytes[1], elements_of(operand, 1)));
}

static struct op_cost cost_of_reduced(const struct operand *operand, const struct formula *formula)
{
	uint64_t elements = elements_of(operand, 0), size = operand->element_bytes[0];

	return cost_put(operand, shape_product(formula->flops, elements) + (formula->bytes > 0),
			shape_product(size, elements + (formula->bytes == 1)));
}

static struct op_cost cost_of_loss(const struct operand *operand)
{
	uint64_t elements = elements_of(operand, 0);

	return cost_put(operand, shape_product(2, elements) + 1,
			shape_product(3, shape_product(operand->element_bytes[0], elements)));
}

/* The list's own element type is not recorded. */
static struct op_cost cost_of_list(const struct operand *operand)
{
	if (!operand->count || !operand->shape[0].is_list)
		return (struct op_cost){ 0 };
	return (struct op_cost){ .is_known = true, .kernels = 1 };
}

static struct op_cost cost_of_lookup(const struct operand *operand, unsigned int times)
{
	uint64_t indices = elements_of(operand, 1), row;

	if (operand->count < 2 || operand->shape[0].count != 2)
		return (struct op_cost){ 0 };
	row = shape_product(operand->element_bytes[0], operand->shape[0].size[1]);
	return cost_put(operand, 0,
			shape_product(operand->element_bytes[1], indices) +
				shape_product(times, shape_product(indices, row)));
}

static struct op_cost cost_by(const struct formula *formula, const struct operand *operand,
			      const struct op_inputs *inputs)
{
	uint64_t elements = elements_of(operand, 0);

	switch (formula->kind) {
	case COST_PRODUCT:
		return cost_of_product(operand, formula->flops, false);
	case COST_LINEAR:
		return cost_of_product(operand, 0, true);
	case COST_CONVOLUTION:
		return cost_of_convolution(operand, inputs);
	case COST_GRADIENTS:
		return cost_of_gradients(operand);
	case COST_JOINED:
		return cost_of_joined(operand, formula->flops, 0);
	case COST_COMPARED:
		return cost_of_joined(operand, formula->flops, 1);
	case COST_REDUCED:
		return cost_of_reduced(operand, formula);
	case COST_LOSS:
		return cost_of_loss(operand);
	case COST_COPIED:
		return cost_of_copy(operand);
	case COST_LISTED:
		return cost_of_list(operand);
	case COST_LOOKED_UP:
		return cost_of_lookup(operand, formula->bytes);
	default:
		return cost_put(operand, shape_product(formula->flops, elements),
				shape_product(formula->bytes,
					      shape_product(operand->element_bytes[0], elements)));
	}
}

struct op_cost op_cost_of(const struct op_inputs *inputs)
{
	const struct formula *formula = formula_of(inputs->name, inputs->name_length);
	struct operand operand = { 0 };

	if (!formula || !inputs->shapes)
		return (struct op_cost){ 0 };
	operand.count = shapes_read(inputs->shapes, inputs->shapes_length, operand.shape,
				    SHAPE_INPUTS_MAX);
	if (inputs->types)
		element_bytes_read(inputs->types, inputs->types_length, operand.element_bytes,
				   SHAPE_INPUTS_MAX);
	return operand.count ? cost_by(formula, &operand, inputs) : (struct op_cost){ 0 };
}
