/* SPDX-License-Identifier: MIT */
/* Floating-point operations from shapes: see flops.h. */
#include "report/flops.h"

#include <stdbool.h>
#include <string.h>

#define INPUTS_MAX 3 /* that any formula looks at */
#define DIMENSIONS_MAX 16

struct shape {
	uint64_t size[DIMENSIONS_MAX];
	unsigned int count;
};

struct shape_parser {
	const char *at, *end;
};

enum flops_kind flops_kind_of(const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum flops_kind kind;
	} known[] = {
		{ "aten::mm", FLOPS_MM },    { "aten::addmm", FLOPS_ADDMM },
		{ "aten::bmm", FLOPS_BMM },  { "aten::baddbmm", FLOPS_BADDBMM },
		{ "aten::mul", FLOPS_EACH }, { "aten::add", FLOPS_EACH },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == length && !memcmp(known[i].name, name, length))
			return known[i].kind;
	return FLOPS_NONE;
}

static bool parser_take(struct shape_parser *parser, char wanted)
{
	while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == ','))
		parser->at++;
	if (parser->at == parser->end || *parser->at != wanted)
		return false;
	parser->at++;
	return true;
}

static bool parser_take_number(struct shape_parser *parser, uint64_t *ret_number)
{
	const char *from;
	uint64_t number = 0;

	while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == ','))
		parser->at++;
	from = parser->at;
	while (parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9') {
		uint64_t digit = (uint64_t)(*parser->at++ - '0');

		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			return false;
	}
	*ret_number = number;
	return parser->at > from;
}

/* One input: [a, b] or []. */
static bool parser_take_shape(struct shape_parser *parser, struct shape *ret_shape)
{
	ret_shape->count = 0;
	if (!parser_take(parser, '['))
		return false;
	while (!parser_take(parser, ']'))
		if (ret_shape->count == DIMENSIONS_MAX ||
		    !parser_take_number(parser, &ret_shape->size[ret_shape->count++]))
			return false;
	return true;
}

static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t result;

	return __builtin_mul_overflow(a, b, &result) ? 0 : result;
}

static uint64_t shape_elements(const struct shape *shape)
{
	uint64_t elements = 1;

	for (unsigned int i = 0; i < shape->count; i++)
		elements = product(elements, shape->size[i]);
	return elements;
}

/* Elements of the left, times the last dimension of the right, twice: a batch is in the left. */
static uint64_t flops_of_product(const struct shape *left, const struct shape *right,
				 unsigned int dimensions)
{
	if (left->count != dimensions || right->count != dimensions ||
	    left->size[dimensions - 1] != right->size[dimensions - 2])
		return 0;
	return product(2, product(shape_elements(left), right->size[dimensions - 1]));
}

uint64_t flops_of_shapes(enum flops_kind kind, const char *shapes, size_t length)
{
	struct shape_parser parser = { shapes, shapes + length };
	struct shape input[INPUTS_MAX];
	unsigned int wanted = kind == FLOPS_EACH                             ? 1
			      : kind == FLOPS_ADDMM || kind == FLOPS_BADDBMM ? 3
									     : 2;

	if (!parser_take(&parser, '['))
		return 0;
	for (unsigned int i = 0; i < wanted; i++)
		if (!parser_take_shape(&parser, &input[i]))
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
	default:
		return 0;
	}
}
