/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/torch/pyprof.c: kernels joined with operators, backward with forward, over recordings in
 * memory.
 */
#include "tests/unit/unit.h"
#include "report/torch/pyprof.h"
#include "tests/unit/gpu_recording.h"

#define SECOND 1000000000u
#define NONE UINT64_MAX

static struct pyprof *pyprof;
static struct pyprof_kernel kernels[8]; /* by their start */
static uint64_t launches;

static void start_counting(void)
{
	start(1);
	launches = 0;
}

/* thread: torch's number of this one, of a backward function that of the forward one. */
static void begin(uint64_t time_ns, const char *op, uint64_t scope, uint64_t sequence,
		  uint64_t thread)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin_ex, .name = name(op), .scope = scope,
		  .sequence = (int64_t)sequence, .thread = scope == 1 ? 9 : thread,
		  .forward_thread = scope == 1 ? thread : 0);
}

static void inputs(uint64_t time_ns, const char *shapes, const char *types)
{
	FRAME_PUT(c.r.fw, time_ns, torch_inputs, .shapes = name(shapes), .types = name(types));
}

static void end(uint64_t time_ns)
{
	frame_put(c.r.fw, EVT_torch_end, time_ns, &time_ns); /* it has no field */
}

/* A launch, whose kernel begins at once and is told then. */
static void kernel(uint64_t time_ns, const char *text)
{
	launches++;
	CUDA_PUT(&c, time_ns, cuda_launch, "cudaLaunchKernel", 1, .kernel = name(text),
		 .correlation = launches);
	KERNEL_PUT(time_ns, time_ns, 10, launches, text, .stream = 7);
}

static void finish(const struct filter_settings *filter)
{
	close_recording(2ull * SECOND);
	open_run(filter);
	pyprof = pyprof_want(run, NULL);
	run_read(run, false);
	assert_in_range(pyprof->count, 1, 8);
	pyprof_rewind(pyprof);
	for (size_t i = 0; i < pyprof->count; i++)
		assert_true(pyprof_next(pyprof, &kernels[i]));
	assert_false(pyprof_next(pyprof, &kernels[0]));
}

static const char *op_of(size_t at)
{
	uint32_t op = kernels[at].call.op.name;

	return op == PYPROF_NO_NAME ? "" : source_name_at(source, op)->text;
}

static const char *layer_of(size_t at)
{
	uint32_t module = kernels[at].call.op.module;

	return module == PYPROF_NO_NAME ? "" : source_name_at(source, module)->text;
}

/* linear() forward on one thread, its two products backward on another, as PyTorch calls them. */
TEST(backward_has_what_forward_was)
{
	start_counting();
	FRAME_PUT(c.r.fw, 90, torch_module_begin, .name = name("Linear: fc"));
	begin(100, "aten::linear", 0, 5, 1);
	inputs(101, "[[16, 8], [4, 8], [4]]", "['float', 'float', 'float']");
	begin(110, "aten::addmm", 0, 6, 1);
	inputs(111, "[[4], [16, 8], [8, 4], [], []]",
	       "['float', 'float', 'float', 'Scalar', 'Scalar']");
	kernel(120, "splitKreduce_kernel");
	kernel(130, "sgemm");
	kernel(140, "sgemm");
	end(150);
	end(160);
	frame_put(c.r.fw, EVT_torch_module_end, 170, &(uint64_t){ 0 });
	on_stream(2);
	begin(200, "AddmmBackward0", 1, 6, 1);
	begin(210, "aten::mm", 0, NONE, 0);
	inputs(211, "[[16, 4], [4, 8]]", "['float', 'float']");
	kernel(220, "ampere_h16816gemm");
	end(230);
	kernel(240, "bare");
	end(250);
	finish(NULL);
	assert_int_equal(pyprof->count, 5);
	assert_int_equal(pyprof->inputs, 3);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(op_of(i), "aten::addmm");
		assert_string_equal(layer_of(i), "Linear: fc");
		assert_int_equal(kernels[i].call.is_backward, i > 2);
		assert_int_equal(kernels[i].call.sequence, 6);
		assert_int_equal(kernels[i].sub, i);
	}
	assert_int_equal(kernels[0].call.other_sequence, 5);
	assert_int_equal(kernels[3].call.other_sequence, PYPROF_NO_SEQUENCE);
	/* the first kernel that is no helper has the FLOPs, once an operator */
	assert_false(kernels[0].has_its_cost);
	assert_true(kernels[1].has_its_cost);
	assert_int_equal(kernels[1].call.cost.flops, 2 * 16 * 8 * 4);
	assert_false(kernels[2].has_its_cost);
	assert_true(kernels[3].has_its_cost);
	assert_true(kernels[3].uses_tensor_cores);
	assert_int_equal(kernels[3].call.cost.flops, 2 * 16 * 4 * 8);
	assert_false(kernels[4].call.cost.is_known);
	release();
}

TEST(numbers_are_of_their_thread)
{
	start_counting();
	begin(100, "aten::relu", 0, 5, 1);
	end(110);
	on_stream(2);
	begin(120, "aten::tanh", 0, 5, 2);
	end(130);
	begin(200, "TanhBackward0", 1, 5, 2);
	kernel(210, "a");
	end(220);
	begin(300, "ReluBackward0", 1, 5, 1);
	kernel(310, "b");
	end(320);
	begin(400, "ReluBackward0", 1, 5, 1); /* again: the forward operator has gone */
	kernel(410, "c");
	end(420);
	finish(NULL);
	assert_string_equal(op_of(0), "aten::tanh");
	assert_string_equal(op_of(1), "aten::relu");
	assert_string_equal(op_of(2), "ReluBackward0");
	assert_true(kernels[2].call.is_node);
	assert_true(kernels[2].call.is_backward);
	release();
}

TEST(labels_and_the_outside_are_no_operators)
{
	struct filter_settings later = {
		.pid = FILTER_NO_ID, .tid = FILTER_NO_ID, .from_ns = 150, .to_ns = UINT64_MAX
	};

	start_counting();
	kernel(100, "a");
	begin(200, "aten::relu", 0, NONE, 1);
	begin(210, "label", 7, NONE, 1);
	kernel(220, "b");
	end(230);
	end(240);
	begin(300, "label", 7, NONE, 1);
	kernel(310, "c");
	end(320);
	finish(&later);
	assert_int_equal(pyprof->count, 2);
	assert_string_equal(op_of(0), "aten::relu");
	assert_string_equal(op_of(1), "");
	assert_int_equal(kernels[1].call.sequence, PYPROF_NO_SEQUENCE);
	release();
}
