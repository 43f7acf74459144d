/* SPDX-License-Identifier: MIT */
/* links: preload:torch/torch_shapes.c,torch/torch_layout.c */
/*
 * preload/torch/torch_layout.c, torch_shapes.c: tensors made by hand, in memory of two different
 * layouts.
 */
#include <stdio.h>

#define UNIT_HAS_MAIN
#include "tests/unit/unit.h"
#include "preload/torch/torch_shapes.h"

#define IMPL_WORDS 24
#define TAG_NONE 0
#define TAG_STRING 10
#define TAG_LIST 14
#define TAG_BOOL 9
#define FLOAT 6

struct impl {
	uint64_t word[IMPL_WORDS];
};

static unsigned int word_of_sizes, half_of_type, word_of_list;

static struct torch_value value_of(const void *object, uint32_t tag)
{
	return (struct torch_value){ .payload = (uintptr_t)object, .tag = tag };
}

static struct impl *tensor(unsigned int dimensions, const uint64_t *size, uint16_t type)
{
	struct impl *impl = test_malloc(sizeof(*impl));
	uint64_t *to = &impl->word[word_of_sizes];

	/* what else is in there is anything */
	memset(impl, 0xa5, sizeof(*impl));
	*to++ = dimensions;
	if (dimensions > TORCH_SIZES_INLINE)
		*to = (uintptr_t)size;
	else
		memcpy(to, size, dimensions * sizeof(*size));
	memcpy((uint16_t *)impl + half_of_type, &type, sizeof(type));
	return impl;
}

struct list {
	uint64_t word[6];
};

static struct list list(const struct torch_value *values, size_t count)
{
	struct list l;

	memset(&l, 0x5a, sizeof(l));
	l.word[word_of_list] = (uintptr_t)values;
	l.word[word_of_list + 1] = (uintptr_t)(values + count);
	return l;
}

static void show_tensor(unsigned int dimensions, const uint64_t *size, uint16_t type)
{
	struct impl *impl = tensor(dimensions, size, type);
	struct torch_value input[2] = { value_of(impl, TORCH_TAG_TENSOR), { 2, TORCH_TAG_INT, 0 } };

	torch_layout_look(input, 2);
	test_free(impl);
}

/* As bootstrap.py shows them. */
static void show_all(void)
{
	static const uint64_t sizes[4][7] = {
		{ 3 }, { 5, 7 }, { 2, 3, 4 }, { 1, 2, 1, 3, 1, 2, 1 }
	};
	static const uint16_t types[] = { 6, 7, 4, 5 };
	static const unsigned int dimensions[] = { 1, 2, 3, 7 };
	struct torch_value item[2] = { { 1, TORCH_TAG_INT, 0 }, { 0, TORCH_TAG_INT, 0 } };
	struct list over = list(item, 2);
	struct impl *impl;
	struct torch_value input[4] = {
		{ 0 }, value_of(&over, TAG_LIST), { 1, TAG_BOOL, 0 }, { 0 }
	};

	for (unsigned int i = 0; i < 4; i++)
		show_tensor(dimensions[i], sizes[i], types[i]);
	impl = tensor(2, sizes[2], 6);
	input[0] = value_of(impl, TORCH_TAG_TENSOR);
	torch_layout_look(input, 4);
	test_free(impl);
}

TEST(the_layout_is_found)
{
	assert_false(torch_layout_found());
	show_all();
	assert_true(torch_layout_found());
	assert_int_equal(torch_layout.sizes, word_of_sizes);
	assert_int_equal(torch_layout.type_half, half_of_type);
	assert_int_equal(torch_layout.list, word_of_list);
	assert_int_equal(torch_layout.tag_list, TAG_LIST);
	assert_int_equal(torch_layout.tag_bool, TAG_BOOL);
}

static void expect_texts(const struct torch_value *input, size_t count, const char *shapes,
			 const char *types)
{
	struct torch_shapes s;
	struct torch_text text;

	torch_shapes_describe(&s, input, count);
	torch_shapes_text(&s, &text);
	assert_int_equal(text.length, strlen(shapes));
	assert_memory_equal(text.bytes, shapes, text.length);
	torch_shapes_types_text(&s, &text);
	assert_int_equal(text.length, strlen(types));
	assert_memory_equal(text.bytes, types, text.length);
}

TEST(inputs_have_texts)
{
	static const uint64_t size[7] = { 16, 1, 8, 8, 9223372036854775807u, 0, 3 };
	struct impl *image = tensor(4, size, FLOAT), *scalar = tensor(0, size, 4),
		    *deep = tensor(7, size, 11), *strange = tensor(1, size, 999);
	struct torch_value two[2] = { value_of(image, 1), value_of(scalar, 1) };
	struct torch_value number[2] = { { 3, TORCH_TAG_INT, 0 }, { 4, TORCH_TAG_INT, 0 } };
	struct list tensors = list(two, 2), numbers = list(number, 2), nothing = list(number, 0);
	struct torch_value input[] = {
		value_of(image, 1),
		value_of(scalar, 1),
		value_of(deep, 1),
		value_of(strange, 1),
		value_of(&tensors, TAG_LIST),
		value_of(&numbers, TAG_LIST),
		value_of(&nothing, TAG_LIST),
		{ 0, TAG_NONE, 0 },
		{ 0, TORCH_TAG_DOUBLE, 0 },
		{ 1, TAG_BOOL, 0 },
		{ 0, TAG_STRING, 0 },
	};

	expect_texts(
		input, 11,
		"[[16, 1, 8, 8], [], [16, 1, 8, 8, 9223372036854775807, 0, 3], [16], "
		"[[16, 1, 8, 8], []], [], [], [], [], [], []]",
		"['float', 'long int', 'bool', '', 'TensorList', 'ScalarList', 'ScalarList', '', "
		"'Scalar', 'Scalar', '']");
	expect_texts(input, 1, "[[16, 1, 8, 8]]", "['float']");
	expect_texts(input, 0, "[]", "[]");
	test_free(image);
	test_free(scalar);
	test_free(deep);
	test_free(strange);
}

TEST(what_does_not_fit_is_told)
{
	static const uint64_t size[65] = { 2, 3 };
	struct torch_value many[1000] = { { 0 } };
	struct list tensors = list(many, 1000);
	struct torch_value input[2] = { value_of(&tensors, TAG_LIST), { 0 } };
	struct impl *impl = tensor(2, size, FLOAT), *absurd = tensor(65, size, FLOAT);
	struct torch_shapes s;
	struct torch_text text;

	for (unsigned int i = 0; i < 1000; i++)
		many[i] = value_of(impl, 1);
	torch_shapes_describe(&s, input, 2);
	assert_true(s.cut);
	torch_shapes_text(&s, &text);
	assert_memory_equal(text.bytes, "[[[2, 3], [2, 3], ", 18);
	assert_memory_equal(text.bytes + text.length - 13, "[2, 3], ...]]", 13);
	torch_shapes_types_text(&s, &text);
	assert_int_equal(text.length, strlen("['TensorList', ...]"));
	torch_shapes_describe(&s, many, 1000);
	assert_true(s.cut);
	torch_shapes_types_text(&s, &text);
	assert_memory_equal(text.bytes + text.length - 13, "'float', ...]", 13);
	input[0] = value_of(absurd, 1);
	expect_texts(input, 1, "[...]", "['float', ...]");
	test_free(impl);
	test_free(absurd);
}

TEST(a_long_text_is_cut)
{
	static const uint64_t size[5] = { ~0ull >> 1, ~0ull >> 1, ~0ull >> 1, ~0ull >> 1,
					  1ull << 63 };
	struct torch_value many[300] = { { 0 } };
	struct impl *impl = tensor(5, size, FLOAT);
	struct torch_shapes s;
	struct torch_text text;

	for (unsigned int i = 0; i < 300; i++)
		many[i] = value_of(impl, 1);
	torch_shapes_describe(&s, many, 300);
	torch_shapes_text(&s, &text);
	assert_int_equal(text.length, TORCH_SHAPES_TEXT);
	assert_non_null(memmem(text.bytes, text.length, "-9223372036854775808]", 21));
	test_free(impl);
}

/* Also those in lists; a number that is a tensor has no dimension and computes nothing. */
TEST(types_are_a_set)
{
	static const uint64_t size[2] = { 5, 7 };
	struct impl *floats = tensor(2, size, FLOAT), *doubles = tensor(1, size, 7),
		    *number = tensor(0, size, 7);
	struct torch_value item[2] = { value_of(floats, TORCH_TAG_TENSOR),
				       value_of(doubles, TORCH_TAG_TENSOR) };
	struct list l = list(item, 2);
	struct torch_value input[3] = { value_of(floats, TORCH_TAG_TENSOR),
					value_of(number, TORCH_TAG_TENSOR),
					{ 2, TORCH_TAG_INT, 0 } };

	assert_int_equal(torch_shapes_types(input, 3), 1u << FLOAT);
	input[2] = value_of(&l, TAG_LIST);
	assert_int_equal(torch_shapes_types(input, 3), 1u << FLOAT | 1u << 7);
	assert_int_equal(torch_shapes_types(input, 0), 0);
	test_free(floats);
	test_free(doubles);
	test_free(number);
}

TEST(integers_are_told)
{
	struct torch_value stride[2] = { { 2, TORCH_TAG_INT, 0 }, { 3, TORCH_TAG_INT, 0 } };
	struct list l = list(stride, 2);
	struct torch_value input[3] = { value_of(&l, TAG_LIST),
					{ 7, TORCH_TAG_INT, 0 },
					{ 5, TAG_STRING, 0 } };
	struct torch_shapes s;
	struct torch_text text;

	torch_shapes_describe_integers(&s, input, 3);
	torch_shapes_integers_text(&s, &text);
	assert_int_equal(text.length, strlen("[2, 3, 7, 0]"));
	assert_memory_equal(text.bytes, "[2, 3, 7, 0]", text.length);
}

int main(int argc, char **argv)
{
	char again[4096];

	word_of_sizes = argc > 3 ? (unsigned int)atoi(argv[1]) : 8;
	half_of_type = argc > 3 ? (unsigned int)atoi(argv[2]) : 80;
	word_of_list = argc > 3 ? (unsigned int)atoi(argv[3]) : 2;
	if (unit_run() != 0)
		return 1;
	if (argc > 3)
		return 0;
	/* an older torch: two words of counts, another order */
	(void)snprintf(again, sizeof(again), "'%s' 3 85 3", argv[0]);
	return system(again) != 0;
}
