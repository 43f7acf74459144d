/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/modules/module_events.c, module_scopes.c, module_tree.c, rows_modules.c: calls of modules
 * and their backward functions over recordings in memory: nesting, threads, recomputation, gaps.
 */
#include "tests/unit/unit.h"
#include "report/modules/module_events.h"
#include "report/modules/rows_modules.h"
#include "report/session/source_open.h"
#include "tests/unit/cuda_recording.h"
#include "tests/unit/table_fixture.h"

#define COPIES 2 /* of a recording, as files of one session */

static struct cuda_recording c;
static struct source *source;
static struct run *run;
static struct modules *modules;
static struct table table;
static struct modules_totals totals;

static const struct filter_settings plain = { .pid = FILTER_NO_ID,
					      .tid = FILTER_NO_ID,
					      .to_ns = UINT64_MAX };

static void start(unsigned int processes)
{
	cuda_recording_start(&c, processes);
	frame_begin_block(c.r.fw, 1);
}

static void on_stream(uint32_t stream)
{
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, stream);
}

static void begin(uint64_t time_ns, const char *name)
{
	FRAME_PUT(c.r.fw, time_ns, torch_module_begin, .name = cuda_recording_name(&c, name));
}

static void end(uint64_t time_ns)
{
	frame_put(c.r.fw, EVT_torch_module_end, time_ns, &time_ns); /* it has no field */
}

/* A call with two inside of it: 100 ns, of them 30 and 20 in others. */
static void call(uint64_t time_ns)
{
	begin(time_ns, "Net");
	begin(time_ns + 10, "Linear: fc");
	end(time_ns + 40);
	begin(time_ns + 50, "Sequential: seq");
	begin(time_ns + 55, "Linear: seq.0");
	end(time_ns + 65);
	end(time_ns + 70);
	end(time_ns + 100);
}

static void read_as(struct filter_settings options, size_t copies, bool tree)
{
	static char path[COPIES][16] = { "one.evt", "two.evt" };
	struct session_file file[COPIES];
	char message[256];

	for (size_t i = 0; i < copies; i++)
		file[i] = (struct session_file){ .path = path[i],
						 .bytes = bytes_of(c.r.bytes, c.r.length) };
	assert_int_equal(source_open_files(&source, file, copies, message, sizeof(message)), 0);
	run = run_new(source, &options);
	modules = modules_want(run, &(struct modules_options){ .work = work_bits_of("modules") });
	run_read(run, false);
	table_init(&table, "modules", NULL);
	totals = modules_fill_table(modules, run, &table, tree);
}

static void finish(bool tree)
{
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, 1000000);
	read_as(plain, 1, tree);
}

static void release_run(void)
{
	table_release(&table);
	run_free(run);
	source_close(source);
}

static void read_again(struct filter_settings options, size_t copies, bool tree)
{
	release_run();
	read_as(options, copies, tree);
}

static void release(void)
{
	release_run();
	cuda_recording_release(&c);
}

static const struct cell *cell_of(size_t row, enum column_id column)
{
	return cell_at(&table, row, column);
}

static size_t row_of(const char *module, size_t nth)
{
	return row_at(&table, COLUMN_modules_module, module, nth);
}

static uint64_t number_of(const char *module, enum column_id column)
{
	return cell_of(row_of(module, 0), column)->number;
}

TEST(rows_are_names_with_self_and_total_time)
{
	start(2);
	call(100);
	call(1000);
	on_stream(2); /* another thread, and another process: calls of their own */
	call(120);
	on_stream(3);
	begin(130, "Linear: fc");
	end(131);
	finish(false);
	assert_int_equal(table.row_count, 4);
	assert_int_equal(number_of("Net", COLUMN_modules_calls), 3);
	assert_int_equal(number_of("Net", COLUMN_modules_total_ns), 300);
	assert_int_equal(number_of("Net", COLUMN_modules_self_ns), 150);
	assert_int_equal(number_of("Net", COLUMN_modules_depth), 0);
	assert_int_equal(number_of("fc", COLUMN_modules_calls), 4);
	assert_int_equal(number_of("fc", COLUMN_modules_total_ns), 91);
	assert_int_equal(number_of("fc", COLUMN_modules_min_ns), 1);
	assert_int_equal(number_of("fc", COLUMN_modules_max_ns), 30);
	assert_int_equal(number_of("fc", COLUMN_modules_p50_ns), 30);
	assert_int_equal(number_of("fc", COLUMN_modules_depth), 0); /* the least */
	assert_int_equal(number_of("seq.0", COLUMN_modules_depth), 2);
	assert_int_equal(number_of("seq", COLUMN_modules_self_ns), 30);
	assert_true(cell_is(cell_of(row_of("seq.0", 0), COLUMN_modules_class), "Linear"));
	assert_true(cell_is(cell_of(row_of("Net", 0), COLUMN_modules_class), "Net"));
	assert_int_equal(totals.calls, 13);
	assert_int_equal(totals.total_ns, 301);
	assert_true(cell_of(row_of("Net", 0), COLUMN_modules_percent)->real > 99.6);
	assert_int_equal(totals.open, 0);
	read_again(plain, COPIES, false); /* the same names of two files are the same rows */
	assert_int_equal(table.row_count, 4);
	assert_int_equal(number_of("Net", COLUMN_modules_calls), 6);
	release();
}

TEST(a_tree_has_a_row_for_each_path)
{
	size_t inner;

	start(1);
	call(100);
	begin(300, "Net"); /* one that calls itself, and one that two others call */
	begin(310, "Net");
	begin(315, "Linear: fc");
	end(320);
	end(330);
	begin(340, "Linear: fc");
	end(342);
	end(350);
	finish(true);
	assert_int_equal(table.row_count, 6);
	assert_true(table.is_tree);
	inner = row_of("Net", 1);
	assert_int_equal(table.parent[row_of("Net", 0)], TABLE_NO_PARENT);
	assert_int_equal(table.parent[inner], row_of("Net", 0));
	assert_int_equal(table.parent[row_of("fc", 0)], row_of("Net", 0));
	assert_int_equal(table.parent[row_of("fc", 1)], inner);
	assert_int_equal(cell_of(row_of("fc", 0), COLUMN_modules_total_ns)->number, 32);
	assert_int_equal(cell_of(row_of("fc", 1), COLUMN_modules_total_ns)->number, 5);
	assert_int_equal(cell_of(row_of("fc", 1), COLUMN_modules_depth)->number, 2);
	assert_int_equal(cell_of(inner, COLUMN_modules_self_ns)->number, 15);
	assert_int_equal(totals.total_ns, 150);
	read_again(plain, 1, false);
	/* each moment once, also where it calls itself */
	assert_int_equal(number_of("Net", COLUMN_modules_total_ns), 150);
	assert_int_equal(number_of("Net", COLUMN_modules_self_ns), 93);
	release();
}

TEST(what_is_done_inside_counts)
{
	start(1);
	begin(100, "Net");
	FRAME_PUT(c.r.fw, 105, torch_begin, .name = cuda_recording_name(&c, "aten::mm"));
	FRAME_PUT(c.r.fw, 106, tensor_alloc, .ptr = 0x1000, .bytes = 64, .device = 0);
	FRAME_PUT(c.r.fw, 106, torch_end);
	begin(110, "Linear: fc");
	FRAME_PUT(c.r.fw, 111, torch_begin, .name = cuda_recording_name(&c, "aten::mm"));
	FRAME_PUT(c.r.fw, 111, torch_begin, .name = cuda_recording_name(&c, "aten::is_leaf"));
	FRAME_PUT(c.r.fw, 112, torch_end);
	FRAME_PUT(c.r.fw, 112, torch_end);
	FRAME_PUT(c.r.fw, 113, tensor_alloc, .ptr = 0x2000, .bytes = 100, .device = 1);
	FRAME_PUT(c.r.fw, 113, tensor_free, .ptr = 0x1000, .bytes = 64, .device = 0);
	CUDA_PUT(&c, 115, cuda_launch, "cudaLaunchKernel", 1);
	end(120);
	end(130);
	FRAME_PUT(c.r.fw, 140, tensor_alloc, .ptr = 0x3000, .bytes = 1000, .device = 0);
	on_stream(2);
	FRAME_PUT(c.r.fw, 112, tensor_alloc, .ptr = 0x4000, .bytes = 1000, .device = 0);
	finish(false);
	assert_int_equal(number_of("Net", COLUMN_modules_operators), 2);
	assert_int_equal(number_of("fc", COLUMN_modules_operators), 1);
	assert_int_equal(number_of("Net", COLUMN_modules_tensor_bytes), 164);
	assert_int_equal(number_of("fc", COLUMN_modules_tensor_bytes), 100);
	assert_int_equal(number_of("Net", COLUMN_modules_launches), 1);
	assert_int_equal(number_of("fc", COLUMN_modules_launches), 1);
	release();
}

static void begin_product(uint64_t time_ns, const char *name)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin, .name = cuda_recording_name(&c, name));
	FRAME_PUT(c.r.fw, time_ns, torch_inputs,
		  .shapes = cuda_recording_name(&c, "[[16, 8], [8, 4]]"));
}

TEST(flops_are_those_of_the_outermost_operator_that_has_some)
{
	start(1);
	begin(100, "Net");
	begin_product(101, "aten::_scaled_mm");
	begin_product(102, "aten::addmm"); /* of a bias and two others, which are not known */
	begin_product(103, "aten::mm");
	for (unsigned int i = 0; i < 3; i++)
		FRAME_PUT(c.r.fw, 104 + i, torch_end);
	begin_product(108, "aten::mm");
	FRAME_PUT(c.r.fw, 109, torch_end);
	end(110);
	finish(false);
	assert_int_equal(number_of("Net", COLUMN_modules_flops), 2 * 1024);
	release();
}

/* A DTensor's operator calls that of this rank's part, and one of no values computes nothing. */
TEST(flops_are_those_that_python_calls_in_an_operators_place)
{
	static const char *const names[] = { "PythonSubclass", "PythonDispatchMode" };

	start(1);
	begin(100, "Net");
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t t = 110 + 20 * i;

		FRAME_PUT(c.r.fw, t, torch_begin, .name = cuda_recording_name(&c, "aten::mm"));
		FRAME_PUT(c.r.fw, t, torch_inputs,
			  .shapes = cuda_recording_name(&c, "[[160, 8], [8, 4]]"));
		FRAME_PUT(c.r.fw, t + 1, torch_begin, .name = cuda_recording_name(&c, names[i]));
		begin_product(t + 2, "aten::mm");
		if (!i)
			FRAME_PUT(c.r.fw, t + 3, tensor_alloc, .ptr = 0x1000, .bytes = 64);
		for (unsigned int k = 0; k < 3; k++)
			FRAME_PUT(c.r.fw, t + 4 + k, torch_end);
	}
	FRAME_PUT(c.r.fw, 170, torch_begin, .name = cuda_recording_name(&c, names[1]));
	FRAME_PUT(c.r.fw, 171, torch_begin, .name = cuda_recording_name(&c, "aten::mm"));
	FRAME_PUT(c.r.fw, 171, torch_inputs, /* mm(out=) */
		  .shapes = cuda_recording_name(&c, "[[3, 8], [8, 4], [3, 4]]"));
	FRAME_PUT(c.r.fw, 172, torch_end);
	FRAME_PUT(c.r.fw, 173, torch_end);
	end(200);
	finish(false);
	assert_int_equal(number_of("Net", COLUMN_modules_flops), 1024 + 2 * 3 * 8 * 4);
	release();
}

TEST(what_is_open_ends_where_recording_or_the_program_does)
{
	start(2);
	end(90); /* of a call that began while nothing was recorded */
	call(100);
	begin(300, "Net");
	begin(310, "Linear: fc");
	FRAME_PUT(c.r.fw, 320, capture_stop, .name = cuda_recording_name(&c, "why"));
	FRAME_PUT(c.r.fw, 900, capture_start, .name = cuda_recording_name(&c, "why"));
	end(905);
	call(1000);
	on_stream(2); /* the same process: ended too */
	begin(305, "Net");
	on_stream(3); /* another: not, but at its last event */
	begin(305, "Net");
	FRAME_PUT(c.r.fw, 2305, nvtx_mark, .name = 0);
	finish(false);
	assert_int_equal(number_of("Net", COLUMN_modules_calls), 5);
	assert_int_equal(number_of("Net", COLUMN_modules_open), 3);
	assert_int_equal(number_of("Net", COLUMN_modules_min_ns), 15);
	assert_int_equal(number_of("Net", COLUMN_modules_max_ns), 2000);
	assert_int_equal(number_of("fc", COLUMN_modules_total_ns), 70);
	assert_int_equal(totals.open, 4);
	assert_int_equal(modules->scopes.unmatched, 2);
	release();
}

TEST(losses_do_not_nest_what_follows)
{
	start(1);
	for (unsigned int i = 0; i < 3; i++) {
		on_stream(1);
		begin(1000 * i + 100, "Net"); /* its end is lost */
		on_stream(0);
		FRAME_PUT(c.r.fw, 1000 * i + 200, lost, .process = 1, .stream = 1, .count = 1,
			  .reason = EVT_LOST_FULL);
	}
	on_stream(1);
	finish(false);
	assert_int_equal(number_of("Net", COLUMN_modules_total_ns), 300);
	assert_int_equal(number_of("Net", COLUMN_modules_self_ns), 300);
	assert_int_equal(number_of("Net", COLUMN_modules_depth), 0);
	release();
}

TEST(selection_leave_out_calls_and_follow_nesting)
{
	struct filter_settings options = plain;

	start(1);
	call(100);
	call(1000);
	finish(false);
	options.from_ns = 1005; /* inside of the second */
	read_again(options, 1, false);
	assert_int_equal(number_of("fc", COLUMN_modules_calls), 1);
	assert_int_equal(table.row_count, 3);
	options.from_ns = 0;
	options.to_ns = 1020; /* what began is followed to its end */
	read_again(options, 1, false);
	assert_int_equal(number_of("Net", COLUMN_modules_calls), 2);
	assert_int_equal(number_of("Net", COLUMN_modules_total_ns), 200);
	assert_int_equal(number_of("seq.0", COLUMN_modules_calls), 1);
	release();
}

/* --- backward functions --- */

#define FORWARD_SCOPE 0
#define BACKWARD_SCOPE 1
#define ENGINE "autograd::engine::evaluate_function: "

static void op(uint64_t time_ns, uint64_t sequence)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin_ex, .name = cuda_recording_name(&c, "aten::mm"),
		  .scope = FORWARD_SCOPE, .sequence = sequence, .thread = 1);
}

static void engine(uint64_t time_ns, const char *name)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin, .name = cuda_recording_name(&c, name));
}

static void function(uint64_t time_ns, uint64_t sequence, uint64_t thread)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin_ex, .name = cuda_recording_name(&c, "MmBackward0"),
		  .scope = BACKWARD_SCOPE, .sequence = sequence, .thread = thread,
		  .forward_thread = 1);
}

static void op_end(uint64_t time_ns)
{
	frame_put(c.r.fw, EVT_torch_end, time_ns, &time_ns); /* it has no field */
}

/* A call of Net with fc in it, one operator in each: 100 ns, 40 of them in fc. */
static void forward(uint64_t time_ns)
{
	begin(time_ns, "Net");
	begin(time_ns + 10, "Linear: fc");
	op(time_ns + 20, 7);
	op_end(time_ns + 30);
	end(time_ns + 50);
	op(time_ns + 60, 8);
	op_end(time_ns + 70);
	end(time_ns + 100);
}

/* The backward functions of forward(): 30 ns for Net, 200 for fc, 25 for the gradient of fc. */
static void backward(uint64_t time_ns, uint64_t thread)
{
	engine(time_ns, ENGINE "MmBackward0");
	function(time_ns + 5, 8, thread);
	op_end(time_ns + 20);
	op_end(time_ns + 30);
	engine(time_ns + 100, ENGINE "MmBackward0");
	function(time_ns + 110, 7, thread);
	op_end(time_ns + 290);
	op_end(time_ns + 300);
	engine(time_ns + 310, ENGINE "torch::autograd::AccumulateGrad");
	op_end(time_ns + 335);
}

static void expect_backward(void)
{
	assert_int_equal(number_of("fc", COLUMN_modules_forward_ns), 40);
	assert_int_equal(number_of("fc", COLUMN_modules_backward_ns), 225);
	assert_int_equal(number_of("fc", COLUMN_modules_self_ns), 265);
	assert_int_equal(number_of("fc", COLUMN_modules_backward_functions), 2);
	assert_int_equal(number_of("fc", COLUMN_modules_recomputed_ns), 0);
	assert_int_equal(number_of("Net", COLUMN_modules_forward_ns), 100);
	assert_int_equal(number_of("Net", COLUMN_modules_backward_ns), 255);
	assert_int_equal(number_of("Net", COLUMN_modules_self_ns), 90);
	assert_int_equal(number_of("Net", COLUMN_modules_total_ns), 355);
	assert_int_equal(number_of("Net", COLUMN_modules_calls), 1);
	assert_int_equal(totals.total_ns, 355);
	assert_int_equal(totals.phase_ns[MODULE_BACKWARD], 255);
}

/* FSDP's blocks are of several modules. */
TEST(parameters_are_empty_under_fsdp)
{
	static const char *const names[] = { "aten::mm", "FSDP::pre_forward (0)",
					     "FullyShardedDataParallel._pre_forward" };

	for (unsigned int i = 0; i < 3; i++) {
		start(1);
		engine(500, names[i]);
		op_end(600);
		forward(1000);
		backward(2000, 1);
		FRAME_PUT(c.r.fw, 2400, tensor_alloc, .ptr = 0x1000, .bytes = 64);
		finish(false);
		assert_int_equal(cell_of(0, COLUMN_modules_parameter_bytes)->kind == CELL_NONE,
				 i > 0);
		release();
	}
}

TEST(backward_functions_belong_to_modules)
{
	start(1);
	forward(1000);
	backward(2000, 1);
	finish(false);
	expect_backward();
	assert_true(cell_of(row_of("fc", 0), COLUMN_modules_percent)->real < 75);
	release();
	start(1); /* on a thread of autograd's engine */
	forward(1000);
	op(1999, UINT64_MAX);
	on_stream(2);
	backward(2000, 2);
	finish(false);
	expect_backward();
	release();
}

TEST(compiled_code_belongs_to_the_module_around_it)
{
	start(1);
	begin(100, "Net");
	begin(110, "Linear: fc");
	end(140);
	begin(150, "Sequential: seq");
	for (unsigned int i = 0; i < 2; i++) {
		FRAME_PUT(c.r.fw, 155 + 10 * i, torch_begin,
			  .name = cuda_recording_name(&c, "Torch-Compiled Region: 0/0"));
		frame_put(c.r.fw, EVT_torch_end, 160 + 10 * i, &(uint64_t){ 0 });
	}
	end(180);
	end(200);
	finish(false);
	assert_int_equal(number_of("seq", COLUMN_modules_compiled_calls), 2);
	assert_int_equal(number_of("fc", COLUMN_modules_compiled_calls), 0);
	assert_int_equal(number_of("Net", COLUMN_modules_compiled_calls), 0);
	release();
	start(1);
	call(100);
	finish(false);
	assert_int_equal(cell_of(0, COLUMN_modules_compiled_calls)->kind, CELL_NONE);
	release();
}

/* A second backward() over one graph (retain_graph) belongs there, too. */
TEST(backward_functions_may_run_again)
{
	start(1);
	forward(1000);
	backward(2000, 1);
	backward(3000, 1);
	finish(false);
	assert_int_equal(number_of("fc", COLUMN_modules_backward_ns), 450);
	assert_int_equal(modules->backward_elsewhere, 0);
	release();
}

/* Functions of operators in no module do not count for one, nor do gradients after them. */
TEST(backward_functions_outside_are_nobodys)
{
	start(1);
	forward(1000);
	op(1500, 9);
	op_end(1510);
	engine(1600, ENGINE "AddBackward0");
	function(1605, 9, 1);
	op_end(1690);
	op_end(1700);
	engine(1700, ENGINE "torch::autograd::AccumulateGrad");
	op_end(1800);
	finish(false);
	assert_int_equal(number_of("Net", COLUMN_modules_backward_ns), 0);
	assert_int_equal(number_of("Net", COLUMN_modules_total_ns), 100);
	assert_int_equal(modules->backward_elsewhere, 2);
	release();
}

/* The module is called again in a backward function: 60 ns of 200, 50 of them in fc. */
static void recompute(bool tree)
{
	start(1);
	forward(1000);
	engine(2000, ENGINE "CheckpointBackward");
	function(2010, 8, 1);
	begin(2020, "Linear: fc");
	op(2030, 11);
	op_end(2040);
	begin(2050, "Linear: fc.part");
	end(2060);
	end(2080);
	engine(2100, ENGINE "MmBackward0");
	function(2100, 11, 1);
	op_end(2140);
	op_end(2140);
	op_end(2190);
	op_end(2200);
	finish(tree);
}

TEST(calls_in_backward_functions_are_recomputed)
{
	recompute(false);
	assert_int_equal(number_of("fc", COLUMN_modules_calls), 1);
	assert_int_equal(number_of("fc", COLUMN_modules_recomputed_calls), 1);
	assert_int_equal(number_of("fc", COLUMN_modules_forward_ns), 40);
	assert_int_equal(number_of("fc", COLUMN_modules_recomputed_ns), 60);
	assert_int_equal(number_of("fc", COLUMN_modules_backward_ns), 40);
	assert_int_equal(number_of("fc", COLUMN_modules_depth), 1);
	assert_int_equal(number_of("fc", COLUMN_modules_max_ns), 40); /* of forward calls */
	assert_int_equal(number_of("fc.part", COLUMN_modules_recomputed_ns), 10);
	assert_int_equal(number_of("fc.part", COLUMN_modules_calls), 0);
	assert_int_equal(number_of("Net", COLUMN_modules_backward_ns), 140);
	assert_int_equal(number_of("Net", COLUMN_modules_recomputed_ns), 60);
	assert_int_equal(number_of("Net", COLUMN_modules_total_ns), 300);
	assert_int_equal(totals.calls, 2);
	assert_int_equal(totals.recomputed_calls, 2);
	release();
	recompute(true);
	assert_int_equal(table.parent[row_of("fc", 0)], row_of("Net", 0));
	assert_int_equal(table.parent[row_of("fc.part", 0)], row_of("fc", 0));
	assert_int_equal(table.row_count, 3);
	release();
}

/* If operators were sampled, or not recorded, nobody knows what backward took. */
TEST(backward_is_empty_where_it_is_not_known)
{
	start(1);
	FRAME_PUT(c.r.fw, 900, torch_sampling, .one_in = 10);
	forward(1000);
	backward(2000, 1);
	finish(false);
	assert_int_equal(cell_of(row_of("fc", 0), COLUMN_modules_backward_ns)->kind, CELL_NONE);
	assert_int_equal(number_of("fc", COLUMN_modules_forward_ns), 40);
	release();
	start(1);
	call(100);
	finish(false);
	assert_int_equal(cell_of(row_of("fc", 0), COLUMN_modules_backward_ns)->kind, CELL_NONE);
	release();
}

/* Begins and ends as a broken program or file may have them. */
TEST(any_order_of_events_adds_up)
{
	static const char *const names[] = { "Net", "A: a", "B: a.b", "", ": ", "C: " };
	uint64_t time_ns = 0, self_ns = 0, roots_ns = 0;

	srandom(7);
	start(1);
	for (unsigned int i = 0; i < 20000; i++) {
		time_ns += (uint64_t)random() % 50;
		switch (random() % 9) {
		case 0:
		case 1:
			begin(time_ns, names[random() % 6]);
			break;
		case 5:
			op(time_ns, (uint64_t)random() % 10);
			break;
		case 6:
			engine(time_ns, random() % 2 ? ENGINE "MmBackward0"
						     : ENGINE "torch::autograd::AccumulateGrad");
			break;
		case 7:
			function(time_ns, (uint64_t)random() % 12, 1);
			break;
		case 8:
			op_end(time_ns);
			break;
		case 2:
		case 3:
			end(time_ns);
			break;
		default:
			if (random() % 100 == 0)
				FRAME_PUT(c.r.fw, time_ns, capture_stop, .name = 0);
			break;
		}
		if (!frame_block_room(c.r.fw))
			on_stream(1);
	}
	finish(true);
	for (size_t row = 0; row < table.row_count; row++) {
		self_ns += cell_of(row, COLUMN_modules_self_ns)->number;
		if (table.parent[row] == TABLE_NO_PARENT)
			roots_ns += cell_of(row, COLUMN_modules_total_ns)->number;
	}
	assert_int_equal(self_ns, roots_ns);
	assert_int_equal(roots_ns, totals.total_ns);
	assert_true(totals.calls && totals.recomputed_calls && totals.phase_ns[MODULE_BACKWARD]);
	release();
}
