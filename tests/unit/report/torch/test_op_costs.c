/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/torch/op_costs.c, counted_flops.c, shapes.c: FLOPs and bytes by hand, and inputs that are
 * none.
 */
#include "tests/unit/unit.h"
#include "report/torch/counted_flops.h"
#include "report/torch/op_costs.h"
#include "report/torch/shapes.h"

static struct op_cost cost(const char *name, const char *shapes, const char *types,
			   const char *integers)
{
	return op_cost_of(&(struct op_inputs){
		name, strlen(name), shapes, types, integers, shapes ? strlen(shapes) : 0,
		types ? strlen(types) : 0, integers ? strlen(integers) : 0 });
}

static void expect(struct op_cost of, uint64_t flops, uint64_t bytes)
{
	assert_true(of.is_known);
	assert_true(of.has_bytes);
	assert_int_equal(of.flops, flops);
	assert_int_equal(of.bytes, bytes);
}

static void unknown(struct op_cost of)
{
	assert_false(of.is_known);
	assert_int_equal(of.flops, 0);
	assert_int_equal(of.bytes, 0);
}

TEST(products_count_each_operand_once)
{
	struct op_cost of;

	expect(cost("aten::mm", "[[16, 8], [8, 4]]", "['float', 'float']", ""), 2 * 16 * 8 * 4,
	       4 * (16 * 8 + 8 * 4 + 16 * 4));
	expect(cost("aten::addmm", "[[4], [16, 8], [8, 4], [], []]",
		    "['c10::Half', 'c10::Half', 'c10::Half', 'Scalar', 'Scalar']", ""),
	       2 * 16 * 8 * 4, 2 * (16 * 8 + 8 * 4 + 16 * 4));
	expect(cost("aten::bmm", "[[3, 16, 8], [3, 8, 4]]", "['double', 'double']", ""),
	       2 * 3 * 16 * 8 * 4, 8 * 3 * (16 * 8 + 8 * 4 + 16 * 4));
	expect(cost("aten::linear", "[[2, 16, 8], [4, 8], [4]]", "['float', 'float', 'float']", ""),
	       2 * 2 * 16 * 8 * 4, 4 * (2 * 16 * 8 + 8 * 4 + 2 * 16 * 4));
	expect(cost("aten::matmul", "[[16, 8], [3, 8, 4]]", "['float', 'float']", ""),
	       2 * 3 * 16 * 8 * 4, 4 * (16 * 8 + 3 * 8 * 4 + 3 * 16 * 4));
	of = cost("aten::conv2d", "[[16, 4, 9, 9], [8, 2, 3, 3], [], [], [], [], []]",
		  "['float', 'float', '', '', '', '', '']", "[2, 2, 1, 1, 1, 1, 2]");
	/* 5 by 5 outputs, two groups of two channels */
	expect(of, 2 * 16 * 8 * 25 * 2 * 9, 4 * (16 * 4 * 81 + 8 * 2 * 9 + 16 * 8 * 25));
	assert_true(of.is_product);
	of = cost("aten::convolution_backward", "[[16, 8, 5, 5], [16, 4, 9, 9], [8, 2, 3, 3]]",
		  "['float', 'float', 'float']", "");
	expect(of, 2 * 16 * 8 * 25 * 2 * 9, 4 * (16 * 4 * 81 + 8 * 2 * 9 + 16 * 8 * 25));
	assert_int_equal(of.kernels, 2);
}

TEST(the_others_count_elements)
{
	expect(cost("aten::add", "[[16, 1], [4], []]", "['float', 'float', 'Scalar']", ""), 64,
	       4 * (16 + 4 + 64));
	expect(cost("aten::add_", "[[8], [8], []]", "['float', 'float', 'Scalar']", ""), 8, 96);
	expect(cost("aten::gt", "[[8], []]", "['float', 'Scalar']", ""), 8, 8 * 4 + 8);
	expect(cost("aten::addcmul", "[[8], [8], [8], []]", "['float', 'float', 'float', 'Scalar']",
		    ""),
	       24, 128);
	expect(cost("aten::relu", "[[3, 5]]", "['c10::BFloat16']", ""), 15, 60);
	expect(cost("aten::exp", "[[]]", "['double']", ""), 20, 16); /* of no dimension */
	expect(cost("aten::_softmax", "[[4, 4], [], []]", "['float', 'Scalar', 'Scalar']", ""), 640,
	       192);
	expect(cost("aten::sum", "[[10]]", "['float']", ""), 10, 40);
	expect(cost("aten::mean", "[[10]]", "['float']", ""), 11, 44);
	expect(cost("aten::linalg_vector_norm", "[[10]]", "['float']", ""), 21, 40);
	expect(cost("aten::mse_loss", "[[10], [10], []]", "['float', 'float', 'Scalar']", ""), 21,
	       120);
	expect(cost("aten::copy_", "[[16, 8], [8], []]", "['float', 'c10::Half', 'Scalar']", ""), 0,
	       16 * 8 * 4 + 8 * 2);
	expect(cost("aten::embedding", "[[100, 8], [5], []]", "['float', 'long int', 'Scalar']",
		    ""),
	       0, 5 * 8 + 2 * 5 * 8 * 4);
	assert_true(cost("aten::cat", "[[[2, 3], [4, 3]], []]", "['TensorList', 'Scalar']", "")
			    .is_known);
	assert_false(cost("aten::cat", "[[[2, 3], [4, 3]], []]", "['TensorList', 'Scalar']", "")
			     .has_bytes);
}

TEST(what_does_not_fit_is_not_known)
{
	unknown(cost("aten::frobnicate", "[[16, 8], [8, 4]]", "['float', 'float']", ""));
	unknown(cost("mm", "[[16, 8], [8, 4]]", "['float', 'float']", ""));
	unknown(cost("aten::", "[[16, 8], [8, 4]]", "['float', 'float']", ""));
	unknown(cost("aten::mm", "[[16, 8], [9, 4]]", "['float', 'float']", ""));
	unknown(cost("aten::mm", "[[16, 8]]", "['float']", ""));
	unknown(cost("aten::mm", "[[], []]", "['float', 'float']", ""));
	unknown(cost("aten::mm", "", "", ""));
	unknown(cost("aten::mm", NULL, NULL, NULL));
	unknown(cost("aten::mm", "[[16, 8], [8, ", "['float', 'float']", ""));
	unknown(cost("aten::mm", "[[4294967296, 4294967296], [4294967296, 4]]",
		     "['float', 'float']", ""));
	unknown(cost("aten::mm", "[[99999999999999999999999, 8], [8, 4]]", "", ""));
	unknown(cost("aten::conv2d", "[[16, 4, 9, 9], [8, 2, 3, 3]]", "['float', 'float']", ""));
	unknown(cost("aten::convolution_backward", "[[1, 1, 1], [1, 1, 1], [0, 0, 0]]", "", ""));
	unknown(cost("aten::cat", "[[2, 3]]", "['float']", ""));
	/* without types FLOPs are known, bytes are not */
	assert_int_equal(cost("aten::mm", "[[16, 8], [8, 4]]", "", "").flops, 2 * 16 * 8 * 4);
	assert_false(cost("aten::mm", "[[16, 8], [8, 4]]", "", "").has_bytes);
	assert_false(cost("aten::relu", "[[3]]", "['float", "").has_bytes);
	assert_false(cost("aten::relu", "[[3]]", "['frob']", "").has_bytes);
}

TEST(lists_and_cut_texts_are_read_as_far_as_they_go)
{
	struct shape shape[4];

	assert_int_equal(shapes_read("[[1, 2], [[2, 3], [4]], []]", 27, shape, 4), 3);
	assert_true(shape[1].is_list);
	assert_int_equal(shape[1].list_elements, 10);
	assert_int_equal(shape[2].count, 0);
	assert_int_equal(shapes_read("[[1, 2], [[2, 3], ...], []]", 27, shape, 4), 1);
	assert_int_equal(shapes_read("[[1], ...]", 10, shape, 4), 1);
	assert_int_equal(shapes_read("[[1], [2], [3]]", 15, shape, 2), 2);
	assert_int_equal(shapes_read("[[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]]", 45, shape, 4),
			 0);
}

/* As torch.utils.flop_counter counts them: printed by it for these sizes. */
static uint64_t counted(const char *name, const char *shapes, const char *integers)
{
	struct source_name names[3] = { { .text = name, .length = strlen(name) },
					{ .text = shapes, .length = strlen(shapes) },
					{ .text = integers, .length = strlen(integers) } };

	return counted_flops(&names[0], &names[1], &names[2]);
}

TEST(flops_are_those_of_the_flop_counter)
{
	const char *conv = "[[16, 4, 9, 9], [8, 2, 3, 3], [8]]";
	const char *back = "[[16, 8, 5, 5], [16, 4, 9, 9], [8, 2, 3, 3]]";

	assert_int_equal(counted("aten::mm", "[[16, 8], [8, 4]]", ""), 1024);
	assert_int_equal(counted("aten::addmm", "[[4], [16, 8], [8, 4]]", ""), 1024);
	assert_int_equal(counted("aten::bmm", "[[3, 16, 8], [3, 8, 4]]", ""), 3072);
	assert_int_equal(counted("aten::baddbmm", "[[1], [3, 16, 8], [3, 8, 4]]", ""), 3072);
	/* stride, padding, dilation, transposed, output padding, groups, wanted gradients */
	assert_int_equal(counted("aten::convolution", conv, "[2, 2, 1, 1, 1, 1, 0, 0, 0, 2]"),
			 115200);
	assert_int_equal(
		counted("aten::convolution", "[[2, 4, 5], [4, 3, 3]]", "[2, 1, 1, 1, 0, 1]"), 720);
	/* the gradient of the weight as if there were no groups, as it counts */
	assert_int_equal(counted("aten::convolution_backward", back,
				 "[2, 2, 1, 1, 1, 1, 0, 0, 0, 2, 1, 0, 0]"),
			 115200);
	assert_int_equal(counted("aten::convolution_backward", back,
				 "[2, 2, 1, 1, 1, 1, 0, 0, 0, 2, 0, 1, 1]"),
			 230400);
	assert_int_equal(counted("aten::_scaled_dot_product_flash_attention_for_cpu",
				 "[[2, 4, 12, 8], [2, 4, 10, 8], [2, 4, 10, 8]]", ""),
			 30720);
	assert_int_equal(counted("aten::_scaled_dot_product_flash_attention_for_cpu_backward",
				 "[[2, 4, 12, 8], [2, 4, 12, 8], [2, 4, 10, 8], [2, 4, 10, 8]]",
				 ""),
			 76800);
}

/* It does not count these: products of 5 and 3 rows, of 4 and 6 columns, of equal sizes. */
TEST(groups_are_products_of_their_own)
{
	uint64_t rows = 2 * (5 + 3) * 7 * 9;

	assert_int_equal(counted("aten::_grouped_mm", "[[8, 7], [2, 7, 9], [2]]", ""), rows);
	assert_int_equal(counted("aten::_grouped_mm", "[[2, 8, 7], [7, 10], [2]]", ""),
			 2 * 8 * 7 * (4 + 6));
	assert_int_equal(counted("aten::_grouped_mm", "[[9, 8], [8, 7], [2]]", ""),
			 2 * 9 * (5 + 3) * 7);
	assert_int_equal(counted("aten::_scaled_grouped_mm", "[[2, 8, 7], [2, 7, 9]]", ""),
			 2 * rows);
}

static void unknown_flops(const char *name, const char *shapes, const char *integers)
{
	assert_true(counted(name, shapes, integers) == COUNTED_FLOPS_UNKNOWN);
}

TEST(what_is_not_counted_has_no_flops)
{
	assert_int_equal(counted("aten::add", "[[16, 8], [8, 4]]", ""), 0);
	unknown_flops("aten::mm", "[[16, 8], [7, 4]]", "");
	unknown_flops("aten::mm", "[[16, 8]]", "");
	unknown_flops("aten::mm", "[[[16, 8], [8, 4]], [8, 4]]", "");
	unknown_flops("aten::mm", "", "");
	unknown_flops("aten::_grouped_mm", "[[8, 7], [2, 8, 9], [2]]", "");
	unknown_flops("aten::_grouped_mm", "[[8], [2, 8, 9], [2]]", "");
	unknown_flops("aten::convolution", "[[16, 4, 9, 9], [8, 4, 3, 3]]", "[2]");
	unknown_flops("aten::convolution", "[[16], [8]]", "[1, 1, 1, 0, 0, 1]");
	unknown_flops("aten::convolution", "[[], []]", "[1, 1]");
	unknown_flops("aten::convolution_backward", "[[16], [16, 4, 9], [8, 4, 3]]",
		      "[1, 0, 1, 0, 0, 1, 1, 1, 1]");
	assert_int_equal(counted("aten::mm", "[[9223372036854775807, 2], [2, 9]]", ""), 0);
}
