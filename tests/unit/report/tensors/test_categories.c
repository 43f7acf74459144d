/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/tensors/categories.c: what blocks are for, over recordings in memory. */
#include "report/tensors/categories.h"
#include "tests/unit/run_fixture.h"

#define ENGINE "autograd::engine::evaluate_function: "
#define NOT_NUMBERED UINT64_MAX

static const struct categories *categories;
static unsigned int device; /* of all blocks */

/* What follows is of this thread. */
static void thread_is(unsigned int thread)
{
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, thread);
}

static void op(uint64_t time_ns, const char *name, unsigned int scope, uint64_t sequence)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin_ex, .name = cuda_recording_name(&c, name),
		  .scope = scope, .sequence = sequence, .thread = 1,
		  .forward_thread = scope == 1 ? 1 : 0);
}

static void op_end(uint64_t time_ns)
{
	frame_put(c.r.fw, EVT_torch_end, time_ns, &time_ns); /* it has no field */
}

static void alloc(uint64_t time_ns, uint64_t address, uint64_t bytes)
{
	FRAME_PUT(c.r.fw, time_ns, tensor_alloc, .ptr = address << 12, .bytes = bytes,
		  .device = device);
}

static void release_block(uint64_t time_ns, uint64_t address)
{
	FRAME_PUT(c.r.fw, time_ns, tensor_free, .ptr = address << 12, .device = device);
}

/* An operator that makes a block. */
static void make(uint64_t time_ns, const char *name, uint64_t sequence, uint64_t address,
		 uint64_t bytes)
{
	op(time_ns, name, 0, sequence);
	alloc(time_ns + 1, address, bytes);
	op_end(time_ns + 2);
}

static void finish(void)
{
	recording_end(1000000);
	run = run_new(source, &recording_whole);
	categories = categories_want(run, NULL);
	run_read(run, false);
}

static const struct category_sums *sums_of(enum tensor_category category)
{
	assert_int_equal(categories->device_count, 1);
	return &categories->device[0].of[category];
}

/* One step: addresses 1 parameter, 2 input, 3 activation, 4 gradient, 5 state, others short. */
static void step(uint64_t time_ns, uint64_t sequence, bool makes_state)
{
	make(time_ns, "aten::randn", NOT_NUMBERED, 2, 70);
	make(time_ns + 10, "aten::mm", sequence, 3, 500);
	make(time_ns + 20, "aten::sum", sequence + 1, 6, 9);
	release_block(time_ns + 25, 6);
	op(time_ns + 30, ENGINE "MmBackward0", 0, NOT_NUMBERED);
	op(time_ns + 31, "MmBackward0", 1, sequence);
	alloc(time_ns + 32, 4, 100);
	alloc(time_ns + 33, 7, 11);
	release_block(time_ns + 34, 7);
	release_block(time_ns + 35, 3);
	op_end(time_ns + 36);
	op_end(time_ns + 37);
	op(time_ns + 40, "Optimizer.step#Adam.step", 7, NOT_NUMBERED);
	if (makes_state)
		alloc(time_ns + 41, 5, 200);
	alloc(time_ns + 42, 8, 13);
	release_block(time_ns + 43, 8);
	op_end(time_ns + 44);
	release_block(time_ns + 45, 2);
}

TEST(blocks_are_what_they_outlive)
{
	recording_begin(1);
	make(100, "aten::empty", NOT_NUMBERED, 1, 100);
	step(1000, 5, true);
	release_block(1500, 4);
	step(2000, 7, false);
	finish();
	assert_true(categories->is_known);
	assert_int_equal(sums_of(CATEGORY_parameters)->bytes_allocated, 100);
	assert_int_equal(sums_of(CATEGORY_parameters)->live_bytes, 100);
	assert_int_equal(sums_of(CATEGORY_gradients)->bytes_allocated, 200);
	assert_int_equal(sums_of(CATEGORY_gradients)->live_bytes, 100);
	assert_int_equal(sums_of(CATEGORY_optimizer)->bytes_allocated, 200);
	assert_int_equal(sums_of(CATEGORY_activations)->bytes_allocated, 1000);
	assert_int_equal(sums_of(CATEGORY_inputs)->bytes_allocated, 140);
	assert_int_equal(sums_of(CATEGORY_temporaries)->bytes_allocated, 2 * (9 + 11 + 13));
	assert_int_equal(sums_of(CATEGORY_unknown)->allocations, 0);
	/* the peak is in the second backward function: all but the short ones */
	assert_int_equal(categories->device[0].peak_bytes, 100 + 200 + 70 + 500 + 100 + 11);
	assert_int_equal(sums_of(CATEGORY_activations)->peak_bytes, 500);
	assert_int_equal(sums_of(CATEGORY_gradients)->peak_bytes, 100);
	assert_int_equal(sums_of(CATEGORY_parameters)->peak_bytes, 100);
	assert_int_equal(sums_of(CATEGORY_optimizer)->peak_bytes, 200);
	assert_int_equal(sums_of(CATEGORY_temporaries)->peak_bytes, 11);
	recording_close();
}

TEST(a_model_may_be_made_after_another)
{
	recording_begin(1);
	make(100, "aten::empty", NOT_NUMBERED, 1, 100);
	step(1000, 5, true);
	release_block(1500, 1);
	release_block(1501, 4);
	make(1502, "aten::empty", NOT_NUMBERED, 9, 100);
	for (uint64_t i = 2; i < 6; i++) {
		step(1000 * i, 5 + 2 * i, false);
		release_block(1000 * i + 500, 4);
	}
	finish();
	assert_int_equal(sums_of(CATEGORY_parameters)->bytes_allocated, 200);
	assert_int_equal(sums_of(CATEGORY_parameters)->live_bytes, 100);
	assert_int_equal(sums_of(CATEGORY_unknown)->allocations, 0);
	recording_close();
}

/* deepcopy() after a step, and a snapshot under no_grad(); a clone that is a node is none. */
TEST(copies_of_a_model_are_neither_inputs_nor_activations)
{
	recording_begin(1);
	make(100, "aten::empty", NOT_NUMBERED, 1, 100);
	step(1000, 5, true);
	release_block(1500, 4);
	make(1600, "aten::clone", 7, 20, 100);
	make(1610, "aten::clone", NOT_NUMBERED, 21, 100);
	make(1620, "aten::clone", 7, 22, 33);  /* no parameter has this size */
	make(1630, "aten::clone", 7, 23, 100); /* a node: the next number is higher */
	make(1640, "aten::relu", 8, 24, 44);
	make(1650, "aten::clone", 9, 25, 100); /* behind a node */
	step(2000, 9, false);
	finish();
	assert_int_equal(sums_of(CATEGORY_unknown)->live_bytes, 200);
	assert_int_equal(sums_of(CATEGORY_activations)->live_bytes, 33 + 100 + 44 + 100);
	assert_int_equal(sums_of(CATEGORY_parameters)->bytes_allocated, 100);
	recording_close();
}

/* A file that is loaded first, and is let go after some steps. */
TEST(what_a_file_was_loaded_into_is_no_parameter)
{
	recording_begin(1);
	alloc(50, 10, 100);
	make(100, "aten::empty", NOT_NUMBERED, 1, 100);
	step(1000, 5, true);
	release_block(1500, 4);
	release_block(1501, 10);
	step(2000, 7, false);
	finish();
	assert_int_equal(sums_of(CATEGORY_parameters)->bytes_allocated, 100);
	assert_int_equal(sums_of(CATEGORY_parameters)->live_bytes, 100);
	assert_int_equal(sums_of(CATEGORY_unknown)->bytes_allocated, 100);
	recording_close();
}

/* fully_shard(): gradients of two shards are summed over ranks in one block. */
TEST(shards_are_parameters_and_what_is_gathered_is_told_apart)
{
	recording_begin(1);
	make(100, "aten::empty", NOT_NUMBERED, 1, 60);
	make(110, "aten::empty", NOT_NUMBERED, 2, 40);
	op(1000, "FSDP::all_gather (0)", 7, NOT_NUMBERED);
	alloc(1001, 10, 200);
	op_end(1002);
	make(1010, "aten::mm", 5, 3, 500);
	release_block(1020, 10);
	op(1030, ENGINE "MmBackward0", 0, NOT_NUMBERED);
	op(1031, "MmBackward0", 1, 5);
	op_end(1032);
	op_end(1033);
	op(1040, "FSDP::root_post_backward_callback", 7, NOT_NUMBERED);
	op(1041, "FSDP::post_backward_reduce (0)", 7, NOT_NUMBERED);
	alloc(1042, 11, 200);
	alloc(1043, 4, 100);
	release_block(1044, 11);
	op_end(1045);
	op_end(1046);
	make(2000, "aten::zero", NOT_NUMBERED, 6, 1);
	release_block(2010, 6);
	finish();
	assert_int_equal(sums_of(CATEGORY_parameters)->live_bytes, 100);
	assert_int_equal(sums_of(CATEGORY_gradients)->live_bytes, 100);
	assert_int_equal(sums_of(CATEGORY_gathered)->bytes_allocated, 200);
	assert_int_equal(sums_of(CATEGORY_temporaries)->bytes_allocated, 201);
	recording_close();
}

TEST(nothing_is_known_of_sampled_operators)
{
	recording_begin(1);
	FRAME_PUT(c.r.fw, 50, torch_sampling, .one_in = 10);
	make(100, "aten::empty", NOT_NUMBERED, 1, 100);
	step(1000, 5, true);
	finish();
	assert_false(categories->is_known);
	assert_int_equal(sums_of(CATEGORY_parameters)->allocations, 0);
	assert_int_equal(sums_of(CATEGORY_unknown)->allocations, 8);
	recording_close();
}

/* The sum of all categories is what was live, whatever the order of events. */
TEST(parts_add_up_to_the_peak)
{
	static const char *const names[] = { "aten::mm", ENGINE "X", "Optimizer.step#SGD.step" };
	uint64_t time_ns = 0, peak_bytes = 0, live_bytes = 0;

	srandom(3);
	recording_begin(1);
	for (unsigned int i = 0; i < 20000; i++) {
		time_ns += 10;
		switch (random() % 4) {
		case 0:
			op(time_ns, names[random() % 3], (unsigned int)random() % 2,
			   random() % 2 ? i : NOT_NUMBERED);
			break;
		case 1:
			op_end(time_ns);
			break;
		case 2:
			alloc(time_ns, 1 + (uint64_t)random() % 50, (uint64_t)random() % 1000);
			break;
		default:
			release_block(time_ns, 1 + (uint64_t)random() % 50);
			break;
		}
		if (!frame_block_room(c.r.fw)) {
			frame_end_block(c.r.fw);
			frame_begin_block(c.r.fw, 1);
		}
	}
	finish();
	for (unsigned int k = 0; k < CATEGORIES; k++) {
		peak_bytes += sums_of((enum tensor_category)k)->peak_bytes;
		live_bytes += sums_of((enum tensor_category)k)->live_bytes;
	}
	assert_int_equal(peak_bytes, categories->device[0].peak_bytes);
	assert_true(live_bytes <= peak_bytes);
	assert_int_equal(categories->device[0].bytes, 0);
	recording_close();
}

#define GPU 257u
#define WORK 9000u /* bytes of a workspace */

/* A product on a GPU: its result, if it makes one, and a workspace, which it may free again. */
static void multiply(uint64_t time_ns, const char *name, uint64_t sequence, uint64_t result,
		     uint64_t workspace, bool frees_it)
{
	op(time_ns, name, 0, sequence);
	if (result)
		alloc(time_ns + 1, result, 100);
	if (workspace)
		alloc(time_ns + 2, workspace, WORK);
	if (frees_it)
		release_block(time_ns + 3, workspace);
	op_end(time_ns + 4);
}

/* Parameters 1, two passes: results 2, gradients 3, workspaces 20 and 21. */
static void train_on_gpu(uint64_t result, uint64_t gradient, bool frees_it)
{
	device = GPU;
	recording_begin(1);
	make(100, "aten::empty", NOT_NUMBERED, 1, 100);
	make(110, "aten::empty", NOT_NUMBERED, 5, WORK); /* an input as large as a workspace */
	for (uint64_t i = 0; i < 2; i++) {
		uint64_t t = 1000 * (i + 1);

		if (!result) /* whoever calls the product has made it */
			alloc(t, 2, 100);
		multiply(t + 1, "aten::addmm", 5 + 2 * i, result, !i || frees_it ? 20 : 0,
			 frees_it);
		if (!result)
			multiply(t + 10, "aten::addmm", 6 + 2 * i, 0, 0, false);
		thread_is(2); /* autograd's */
		op(t + 30, ENGINE "AddmmBackward0", 0, NOT_NUMBERED);
		op(t + 31, "AddmmBackward0", 1, 5 + 2 * i);
		if (!gradient)
			alloc(t + 32, 3, 100);
		multiply(t + 40, "aten::mm", NOT_NUMBERED, gradient, !i || frees_it ? 21 : 0,
			 frees_it);
		if (!gradient)
			multiply(t + 50, "aten::mm", NOT_NUMBERED, 0, 0, false);
		release_block(t + 55, 2);
		op_end(t + 56);
		op_end(t + 57);
		thread_is(1);
		make(t + 60, "aten::zero", NOT_NUMBERED, 6, 1);
		release_block(t + 70, 6);
		release_block(t + 71, 3);
	}
	finish();
	device = 0;
}

TEST(workspaces_are_no_parameters)
{
	train_on_gpu(2, 3, false);
	assert_int_equal(sums_of(CATEGORY_workspaces)->live_bytes, 2 * WORK);
	assert_int_equal(sums_of(CATEGORY_workspaces)->allocations, 2);
	assert_int_equal(sums_of(CATEGORY_parameters)->bytes_allocated, 100);
	assert_int_equal(sums_of(CATEGORY_gradients)->bytes_allocated, 200);
	assert_int_equal(sums_of(CATEGORY_activations)->bytes_allocated, 200);
	assert_int_equal(sums_of(CATEGORY_inputs)->bytes_allocated, WORK);
	recording_close();
}

/* PyTorch 2.15 frees it in the operator. */
TEST(what_a_product_frees_is_temporary)
{
	train_on_gpu(2, 3, true);
	assert_int_equal(sums_of(CATEGORY_workspaces)->allocations, 0);
	assert_int_equal(sums_of(CATEGORY_temporaries)->bytes_allocated, 4 * WORK + 2);
	assert_int_equal(sums_of(CATEGORY_parameters)->bytes_allocated, 100);
	recording_close();
}

/* As torch.compile calls products: then the only block of the first one is the workspace. */
TEST(products_may_be_given_their_result)
{
	train_on_gpu(0, 0, false);
	assert_int_equal(sums_of(CATEGORY_workspaces)->live_bytes, 2 * WORK);
	assert_int_equal(sums_of(CATEGORY_parameters)->bytes_allocated, 100);
	recording_close();
}

/* A backward function whose operators autograd can differentiate, and what it frees. */
static void differentiate(uint64_t time_ns, uint64_t sequence, uint64_t made, uint64_t freed)
{
	op(time_ns, ENGINE "MmBackward0", 0, NOT_NUMBERED);
	op(time_ns + 1, "MmBackward0", 1, sequence);
	if (made) {
		make(time_ns + 2, "aten::mm", sequence + 1, made, 100);
		make(time_ns + 5, "aten::mm", sequence + 2, made + 1, 300);
	}
	if (freed) {
		release_block(time_ns + 10, freed);
		release_block(time_ns + 11, freed + 1);
	}
	op_end(time_ns + 12);
	op_end(time_ns + 13);
}

/* As torch.func.grad() makes them: the program frees them after it has made the next ones. */
TEST(gradients_may_have_a_graph)
{
	recording_begin(1);
	make(100, "aten::empty", NOT_NUMBERED, 1, 100);
	make(110, "aten::empty", NOT_NUMBERED, 2, 300); /* has no state */
	for (uint64_t i = 0; i < 3; i++) {
		uint64_t t = 1000 * (i + 1);

		differentiate(t, 5 + 4 * i, 20 + 2 * i, 0);
		if (i) {
			release_block(t + 20, 18 + 2 * i);
			release_block(t + 21, 19 + 2 * i);
		}
		op(t + 30, "Optimizer.step#Adam.step", 7, NOT_NUMBERED);
		if (!i)
			alloc(t + 31, 5, 100);
		op_end(t + 32);
	}
	finish();
	assert_int_equal(sums_of(CATEGORY_parameters)->bytes_allocated, 100);
	assert_int_equal(sums_of(CATEGORY_optimizer)->bytes_allocated, 100);
	assert_int_equal(sums_of(CATEGORY_gradients)->bytes_allocated, 3 * 400);
	assert_int_equal(sums_of(CATEGORY_activations)->bytes_allocated, 0);
	recording_close();
}

TEST(what_the_next_pass_frees_was_saved_for_it)
{
	recording_begin(1);
	make(100, "aten::empty", NOT_NUMBERED, 1, 100);
	differentiate(1000, 5, 20, 0);
	make(1100, "aten::pow", 9, 3, 8);
	differentiate(2000, 9, 0, 20);
	release_block(2100, 3);
	finish();
	assert_int_equal(sums_of(CATEGORY_gradients)->bytes_allocated, 0);
	assert_int_equal(sums_of(CATEGORY_activations)->bytes_allocated, 408);
	recording_close();
}
