/* SPDX-License-Identifier: MIT */
/* A parser that walks over the text once and stops at anything that it cannot read. */
#include "report/torch/shapes.h"

#include <string.h>

struct shape_parser {
	const char *at, *end;
};

static void parser_skip(struct shape_parser *parser)
{
	while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == ','))
		parser->at++;
}

static bool shapes_parser_take(struct shape_parser *parser, char wanted)
{
	parser_skip(parser);
	if (parser->at == parser->end || *parser->at != wanted)
		return false;
	parser->at++;
	return true;
}

static bool parser_sees(struct shape_parser *parser, char wanted)
{
	parser_skip(parser);
	return parser->at < parser->end && *parser->at == wanted;
}

static bool parser_take_number(struct shape_parser *parser, uint64_t *ret_number)
{
	const char *from;
	uint64_t number = 0;

	parser_skip(parser);
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

/* To be called behind the first bracket of the shape. */
static bool parser_take_sizes(struct shape_parser *parser, struct shape *ret_shape)
{
	ret_shape->count = 0;
	while (!shapes_parser_take(parser, ']'))
		if (ret_shape->count == SHAPE_DIMENSIONS_MAX ||
		    !parser_take_number(parser, &ret_shape->size[ret_shape->count++]))
			return false;
	return true;
}

/* To be called behind the first bracket of a list of tensors. */
static bool parser_take_list(struct shape_parser *parser, struct shape *ret_shape)
{
	bool is_too_much = false;
	uint64_t all = 0;
	struct shape one = { 0 };

	while (shapes_parser_take(parser, '[')) {
		if (!parser_take_sizes(parser, &one))
			return false;
		is_too_much |= __builtin_add_overflow(all, shape_elements(&one), &all);
	}
	ret_shape->is_list = true;
	ret_shape->count = 0;
	ret_shape->list_elements = is_too_much ? 0 : all;
	return shapes_parser_take(parser, ']');
}

static bool parser_take_shape(struct shape_parser *parser, struct shape *ret_shape)
{
	ret_shape->is_list = false;
	ret_shape->list_elements = 0;
	if (!shapes_parser_take(parser, '['))
		return false;
	return parser_sees(parser, '[') ? parser_take_list(parser, ret_shape)
					: parser_take_sizes(parser, ret_shape);
}

bool shape_read(const char *text, size_t length, struct shape *ret_shape)
{
	struct shape_parser parser = { text, text + length };

	return parser_take_shape(&parser, ret_shape);
}

unsigned int shapes_read(const char *text, size_t length, struct shape *shape, unsigned int room)
{
	struct shape_parser parser = { text, text + length };
	unsigned int count = 0;

	if (!shapes_parser_take(&parser, '['))
		return 0;
	while (count < room && parser_take_shape(&parser, &shape[count]))
		count++;
	return count;
}

/* Returns 0 for types with several elements in a byte: c10::quint4x2, c10::quint2x4. */
static uint8_t bytes_of_type(const char *name, size_t length)
{
	static const char shell[] = "c10::dummy_"; /* int1 to int7 and uint1 to uint7 */
	static const struct {
		const char *name;
		uint8_t bytes;
	} known[] = {
		{ "float", 4 },
		{ "double", 8 },
		{ "c10::Half", 2 },
		{ "c10::BFloat16", 2 },
		{ "long", 8 },
		{ "long int", 8 },
		{ "int", 4 },
		{ "short", 2 },
		{ "short int", 2 },
		{ "signed char", 1 },
		{ "unsigned char", 1 },
		{ "bool", 1 },
		{ "c10::complex<float>", 8 },
		{ "c10::complex<double>", 16 },
		{ "c10::complex<c10::Half>", 4 },
		{ "c10::complex<c10::BFloat16>", 4 },
		{ "c10::Float8_e4m3fn", 1 },
		{ "c10::Float8_e5m2", 1 },
		{ "c10::Float8_e4m3fnuz", 1 },
		{ "c10::Float8_e5m2fnuz", 1 },
		{ "c10::Float8_e8m0fnu", 1 },
		{ "c10::Float4_e2m1fn_x2", 1 },
		{ "short unsigned int", 2 },
		{ "unsigned int", 4 },
		{ "long unsigned int", 8 },
		{ "unsigned short", 2 }, /* as in older recordings */
		{ "unsigned long", 8 },
		{ "c10::qint8", 1 },
		{ "c10::quint8", 1 },
		{ "c10::qint32", 4 },
		{ "c10::bits8", 1 },
		{ "c10::bits16", 2 },
		{ "c10::bits1x8", 1 },
		{ "c10::bits2x4", 1 },
		{ "c10::bits4x2", 1 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == length && !memcmp(known[i].name, name, length))
			return known[i].bytes;
	return length > sizeof(shell) - 1 && !memcmp(shell, name, sizeof(shell) - 1);
}

unsigned int element_bytes_read(const char *text, size_t length, uint8_t *bytes, unsigned int room)
{
	struct shape_parser parser = { text, text + length };
	unsigned int count = 0;

	if (!shapes_parser_take(&parser, '['))
		return 0;
	while (count < room && shapes_parser_take(&parser, '\'')) {
		const char *from = parser.at;
		const char *quote = memchr(from, '\'', (size_t)(parser.end - from));

		if (!quote)
			break;
		bytes[count++] = bytes_of_type(from, (size_t)(quote - from));
		parser.at = quote + 1;
	}
	return count;
}

uint64_t shape_product(uint64_t a, uint64_t b)
{
	uint64_t result;

	return __builtin_mul_overflow(a, b, &result) ? 0 : result;
}

uint64_t shape_elements(const struct shape *shape)
{
	uint64_t elements = 1;

	for (unsigned int i = 0; i < shape->count; i++)
		elements = shape_product(elements, shape->size[i]);
	return elements;
}
