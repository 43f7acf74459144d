/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/torch/operator_events.c, rows_ops.c: operators over recordings in memory, by thread,
 * process, filter, name.
 */
#include "report/cuda/rows_cuda.h"
#include "report/heap/heap_events.h"
#include "report/heap/rows_heap.h"
#include "report/torch/operator_events.h"
#include "report/torch/rows_ops.h"
#include "tests/unit/table_fixture.h"
#include "tests/unit/run_fixture.h"

static struct operators *operators;
static struct cuda *launches, *copies;
static struct heap *heap;
static struct works *works;
static struct table table;
static struct ops_totals totals;

struct reading {
	struct filter_settings filter;
	bool by_shapes;
};

static const struct reading plain = {
	.filter = { .pid = FILTER_NO_ID, .tid = FILTER_NO_ID, .to_ns = UINT64_MAX },
};

static void begin(uint64_t time_ns, const char *name)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin, .name = cuda_recording_name(&c, name));
}

static void begin_scope(uint64_t time_ns, const char *name, uint64_t scope)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin_ex, .name = cuda_recording_name(&c, name),
		  .scope = scope, .sequence = -1, .thread = 1);
}

static void inputs(uint64_t time_ns, const char *shapes)
{
	FRAME_PUT(c.r.fw, time_ns, torch_inputs, .shapes = cuda_recording_name(&c, shapes));
}

static void end(uint64_t time_ns)
{
	frame_put(c.r.fw, EVT_torch_end, time_ns, &time_ns); /* it has no field */
}

static void read_as(struct reading options)
{
	source = recording_source(&c.r);
	run = run_new(source, &options.filter);
	operators = operators_want_rows(
		run, &(struct operators_options){ .by_shapes = options.by_shapes, .is_full = true },
		OPERATORS_ALL);
	launches = cuda_want(run, &(struct cuda_options){ BY_launches_op });
	copies = cuda_want(run, &(struct cuda_options){ BY_memcpy_op });
	heap = heap_want(run, &(struct heap_options){ .by = BY_alloc_op });
	works = works_want(run, WORK_BIT(operators));
	run_read(run, false);
	table_init(&table, "ops", NULL);
	totals = ops_fill_table(operators, source, &table);
}

static void finish(void)
{
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, 1000000);
	read_as(plain);
}

static void release_run(void)
{
	table_release(&table);
	run_free(run);
	source_close(source);
}

static void read_again(struct reading options)
{
	release_run();
	read_as(options);
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

static const struct cell *cell_by(enum column_id key, const char *text, enum column_id column)
{
	return cell_of(row_at(&table, key, text, 0), column);
}

static uint64_t number_of(const char *name, enum column_id column)
{
	return cell_by(COLUMN_ops_name, name, column)->number;
}

TEST(rows_are_names_and_scopes_of_all_threads_and_processes)
{
	recording_begin(2);
	begin_scope(100, "ProfilerStep#1", 7);
	begin(110, "aten::add");
	end(150);
	begin(160, "aten::is_leaf");
	begin(161, "aten::add");
	end(171);
	end(172);
	end(200);
	begin_scope(300, "ProfilerStep#2", 7);
	end(350);
	on_stream(2); /* another thread of the process */
	begin(120, "aten::add");
	end(130);
	on_stream(3); /* a forked child */
	end(90);      /* of what its parent began */
	begin(140, "aten::add");
	begin_scope(145, "aten::add", 1); /* folded, though its scope is another */
	end(150);
	end(160);
	begin_scope(170, "aten::add", 1);
	end(180);
	finish();
	assert_int_equal(table.row_count, 3);
	assert_int_equal(number_of("ProfilerStep*", COLUMN_ops_calls), 2);
	assert_int_equal(number_of("ProfilerStep*", COLUMN_ops_total_cpu_ns), 150);
	assert_int_equal(number_of("ProfilerStep*", COLUMN_ops_self_cpu_ns), 100);
	assert_int_equal(number_of("ProfilerStep*", COLUMN_ops_avg_cpu_ns), 75);
	assert_int_equal(number_of("aten::add", COLUMN_ops_calls), 4);
	assert_int_equal(number_of("aten::add", COLUMN_ops_threads), 3);
	assert_int_equal(number_of("aten::add", COLUMN_ops_total_cpu_ns), 80);
	assert_int_equal(cell_by(COLUMN_ops_scope, "backward", COLUMN_ops_total_cpu_ns)->number,
			 10);
	assert_int_equal(totals.calls, 7);
	assert_int_equal(totals.self_cpu_ns, 190);
	assert_int_equal(operators->unmatched, 1);
	/* shares are of the self time of all */
	assert_true(cell_of(0, COLUMN_ops_self_cpu_percent)->real > 52.6 &&
		    cell_of(0, COLUMN_ops_self_cpu_percent)->real < 52.7);
	assert_true(cell_of(0, COLUMN_ops_total_cpu_percent)->real > 78.9 &&
		    cell_of(0, COLUMN_ops_total_cpu_percent)->real < 79.0);
	/* nothing is known of a GPU, tensors, shapes */
	assert_int_equal(cell_of(0, COLUMN_ops_self_cuda_ns)->kind, CELL_NONE);
	assert_int_equal(cell_of(0, COLUMN_ops_cpu_mem_bytes)->kind, CELL_NONE);
	assert_int_equal(cell_of(0, COLUMN_ops_input_shapes)->kind, CELL_NONE);
	assert_int_equal(cell_of(0, COLUMN_ops_flops)->kind, CELL_NONE);
	assert_int_equal(
		works_counted_of_thread(works, &(struct source_thread){ .index = 0 }).operators, 4);
	release();
}

static void begin_async(uint64_t time_ns, const char *name, uint64_t function)
{
	FRAME_PUT(c.r.fw, time_ns, torch_async_begin, .name = cuda_recording_name(&c, name),
		  .function = function);
}

static void end_async(uint64_t time_ns, uint64_t function)
{
	FRAME_PUT(c.r.fw, time_ns, torch_async_end, .function = function);
}

TEST(collectives_end_on_other_threads)
{
	recording_begin(2);
	begin(100, "c10d::allreduce_");
	begin_async(110, "gloo:all_reduce", 0x1000);
	end(120);
	begin_async(130, "gloo:all_reduce", 0x2000);
	begin_async(140, "gloo:broadcast", 0x3000); /* never ends */
	on_stream(2);
	end_async(150, 0x1000);
	end_async(151, 0x1000); /* over already */
	on_stream(3);
	end_async(155, 0x2000); /* of another process */
	on_stream(2);
	end_async(230, 0x2000);
	on_stream(1);
	begin_async(240, "gloo:all_reduce", 0x1000);
	end_async(250, 0x1000);
	finish();
	assert_int_equal(table.row_count, 3);
	assert_int_equal(number_of("gloo:broadcast", COLUMN_ops_calls), 1);
	assert_int_equal(number_of("gloo:broadcast", COLUMN_ops_open), 1);
	assert_int_equal(number_of("c10d::allreduce_", COLUMN_ops_total_cpu_ns), 20);
	assert_int_equal(number_of("c10d::allreduce_", COLUMN_ops_self_cpu_ns), 20);
	assert_int_equal(number_of("gloo:all_reduce", COLUMN_ops_calls), 3);
	assert_int_equal(number_of("gloo:all_reduce", COLUMN_ops_total_cpu_ns), 150);
	assert_int_equal(number_of("gloo:all_reduce", COLUMN_ops_self_cpu_ns), 0);
	assert_int_equal(operators->unmatched, 0);
	release();
}

static void begin_label(uint64_t time_ns, const char *name, uint64_t function)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin_id, .name = cuda_recording_name(&c, name),
		  .scope = EVT_SCOPE_USER, .sequence = UINT64_MAX, .function = function);
}

static void end_label(uint64_t time_ns, const char *name, uint64_t function)
{
	FRAME_PUT(c.r.fw, time_ns, torch_end_id, .name = cuda_recording_name(&c, name),
		  .function = function);
}

static double percent_of(const char *name, enum column_id column)
{
	return cell_by(COLUMN_ops_name, name, column)->real;
}

/* Two tasks take turns: each label has its own time, and each moment of the thread counts once. */
TEST(labels_of_tasks_overlap)
{
	recording_begin(1);
	begin_label(100, "request", 0x1000);
	begin_label(120, "request", 0x2000);
	begin(130, "aten::mm");
	end(140);
	end_label(150, "request", 0x1000);
	end_label(200, "request", 0x2000);
	begin_label(300, "request", 0x1000);
	end_label(310, "request", 0x1000);
	finish();
	assert_int_equal(number_of("request", COLUMN_ops_calls), 3);
	assert_int_equal(number_of("request", COLUMN_ops_total_cpu_ns), 50 + 80 + 10);
	assert_int_equal(number_of("request", COLUMN_ops_self_cpu_ns), 100);
	assert_int_equal(number_of("aten::mm", COLUMN_ops_self_cpu_ns), 10);
	assert_true(percent_of("request", COLUMN_ops_total_cpu_percent) == 100);
	assert_true(percent_of("aten::mm", COLUMN_ops_total_cpu_percent) < 10);
	assert_int_equal(operators->crossed, 1);
	assert_int_equal(operators->unmatched, 0);
	release();
}

TEST(shapes_are_keys_when_asked_for)
{
	struct reading options = plain;

	recording_begin(1);
	FRAME_PUT(c.r.fw, 90, torch_sampling, .one_in = 100);
	begin(100, "aten::mm");
	inputs(100, "[[2, 3], [3, 4]]");
	end(110);
	begin(120, "aten::mm");
	inputs(120, "[[5, 3], [3, 4]]");
	end(150);
	begin(200, "aten::mm"); /* when its shapes were lost */
	end(210);
	finish();
	assert_int_equal(table.row_count, 1);
	assert_int_equal(number_of("aten::mm", COLUMN_ops_flops), 48 + 120);
	assert_int_equal(operators->one_in, 100);
	/* a sampled child is no evidence about its parent */
	assert_int_equal(cell_by(COLUMN_ops_name, "aten::mm", COLUMN_ops_self_cpu_ns)->kind,
			 CELL_NONE);
	assert_int_equal(cell_by(COLUMN_ops_name, "aten::mm", COLUMN_ops_self_cpu_percent)->kind,
			 CELL_NONE);
	assert_int_equal(cell_by(COLUMN_ops_name, "aten::mm", COLUMN_ops_total_cpu_percent)->kind,
			 CELL_NONE);
	assert_int_equal(number_of("aten::mm", COLUMN_ops_total_cpu_ns), 50);
	options.by_shapes = true;
	read_again(options);
	assert_int_equal(table.row_count, 3);
	assert_int_equal(
		cell_by(COLUMN_ops_input_shapes, "[[5, 3], [3, 4]]", COLUMN_ops_total_cpu_ns)
			->number,
		30);
	assert_int_equal(
		cell_by(COLUMN_ops_input_shapes, "[[5, 3], [3, 4]]", COLUMN_ops_flops)->number,
		120);
	release();
}

TEST(selection_leave_out_calls_and_follow_nesting)
{
	struct reading options = plain;

	recording_begin(1);
	begin(100, "a");
	begin(110, "b");
	end(120);
	begin(130, "b"); /* after ..125 */
	end(140);
	end(200);
	begin(210, "a");
	end(230);
	finish();
	options.filter.from_ns = 90;
	options.filter.to_ns = 125;
	read_again(options);
	assert_int_equal(number_of("a", COLUMN_ops_calls), 1);
	assert_int_equal(number_of("a", COLUMN_ops_total_cpu_ns), 100);
	assert_int_equal(number_of("a", COLUMN_ops_self_cpu_ns), 80);
	assert_int_equal(number_of("b", COLUMN_ops_calls), 1);
	options.filter.tid = 4711;
	read_again(options);
	assert_int_equal(table.row_count, 0);
	release();
}

TEST(a_capture_that_closes_ends_what_is_open)
{
	recording_begin(1);
	FRAME_PUT(c.r.fw, 90, capture_start, .name = 0);
	begin(100, "outer");
	begin(110, "inner");
	FRAME_PUT(c.r.fw, 150, capture_stop, .name = 0);
	FRAME_PUT(c.r.fw, 200, capture_start, .name = 0);
	end(210); /* of outer; inner's was not recorded */
	begin(220, "next");
	end(230);
	finish();
	assert_int_equal(number_of("outer", COLUMN_ops_total_cpu_ns), 50);
	assert_int_equal(number_of("outer", COLUMN_ops_open), 1);
	assert_int_equal(number_of("inner", COLUMN_ops_total_cpu_ns), 40);
	assert_int_equal(number_of("next", COLUMN_ops_self_cpu_ns), 10);
	assert_int_equal(operators->unmatched, 1);
	release();
}

TEST(losses_do_not_nest_what_follows)
{
	recording_begin(1);
	for (unsigned int i = 0; i < 3; i++) {
		begin(1000 * i + 100, "a"); /* its end is lost */
		frame_end_block(c.r.fw);
		frame_begin_block(c.r.fw, 0);
		FRAME_PUT(c.r.fw, 1000 * i + 200, lost, .process = 1, .stream = 1, .count = 1,
			  .reason = EVT_LOST_FULL);
		FRAME_PUT(c.r.fw, 1000 * i + 210, lost, .process = 1, .stream = 9999, .count = 1,
			  .reason = EVT_LOST_FULL);
		on_stream(1);
		begin(1000 * i + 300, "b");
		end(1000 * i + 310);
	}
	finish();
	assert_int_equal(number_of("a", COLUMN_ops_calls), 3);
	assert_int_equal(number_of("a", COLUMN_ops_total_cpu_ns), 300);
	assert_int_equal(number_of("a", COLUMN_ops_open), 3);
	assert_int_equal(number_of("b", COLUMN_ops_total_cpu_ns), 30);
	release();
}

static uint64_t number_by(enum column_id key, const char *text, enum column_id column)
{
	return cell_by(key, text, column)->number;
}

TEST(what_is_done_in_an_operator_has_its_name)
{
	struct kernel_names names;

	recording_begin(1);
	FRAME_PUT(c.r.fw, 90, malloc, .ptr = 0x100, .size = 7);
	begin(100, "aten::linear");
	begin(110, "aten::addmm");
	CUDA_PUT(&c, 120, cuda_launch, "cudaLaunchKernel", 10, .handle = 1);
	CUDA_PUT(&c, 130, cuda_copy, "cudaMemcpyAsync", 10, .kind = EVT_CUDA_COPY_HTOD, .bytes = 5);
	FRAME_PUT(c.r.fw, 140, malloc, .ptr = 0x200, .size = 30);
	end(150);
	begin_scope(160, "ProfilerStep#1", 7);
	CUDA_PUT(&c, 170, cuda_launch, "cudaLaunchKernel", 10, .handle = 1);
	end(180);
	begin_scope(190, "ProfilerStep#2", 7);
	FRAME_PUT(c.r.fw, 195, free, .ptr = 0x200);
	CUDA_PUT(&c, 196, cuda_launch, "cudaLaunchKernel", 10, .handle = 1);
	end(197);
	end(200);
	CUDA_PUT(&c, 300, cuda_launch, "cudaLaunchKernel", 10, .handle = 1);
	finish();
	assert_int_equal(number_of("aten::addmm", COLUMN_ops_launches), 1);
	assert_int_equal(number_of("aten::addmm", COLUMN_ops_cuda_calls), 2);
	assert_int_equal(number_of("aten::linear", COLUMN_ops_cuda_calls), 4);
	assert_int_equal(number_of("aten::linear", COLUMN_ops_cuda_ns), 40);
	table_release(&table);
	kernel_names_init(&names, source, NAMES_FULL);
	key_init_table(&table, BY_launches_op);
	launches_fill_table(launches, &table, &names);
	assert_int_equal(table.row_count, 3);
	assert_int_equal(number_by(COLUMN_launches_op, "ProfilerStep*", COLUMN_launches_calls), 2);
	assert_int_equal(number_by(COLUMN_launches_op, "(no operator)", COLUMN_launches_calls), 1);
	kernel_names_release(&names);
	table_release(&table);
	key_init_table(&table, BY_memcpy_op);
	copies_fill_table(copies, source, &table);
	assert_int_equal(number_by(COLUMN_memcpy_op, "aten::addmm", COLUMN_memcpy_bytes), 5);
	table_release(&table);
	key_init_table(&table, BY_alloc_op);
	heap_fill_table(heap, source, &table);
	assert_int_equal(table.row_count, 2);
	assert_int_equal(number_by(COLUMN_alloc_op, "aten::addmm", COLUMN_alloc_bytes_allocated),
			 30);
	assert_int_equal(number_by(COLUMN_alloc_op, "aten::addmm", COLUMN_alloc_live_bytes), 0);
	assert_int_equal(number_by(COLUMN_alloc_op, "(no operator)", COLUMN_alloc_live_bytes), 7);
	release();
}

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Whatever order begins, ends, inputs, losses and captures have: every time is counted once. */
TEST(any_order_of_events_adds_up)
{
	static const char *const names[] = { "a", "b", "aten::is_leaf", "ProfilerStep#7" };
	uint64_t random = 20261121, self_ns = 0;

	recording_begin(2);
	for (uint64_t time_ns = 1; time_ns < 30000; time_ns++) {
		const char *name = names[random_next(&random) % 4];

		switch (random_next(&random) % 16) {
		case 0:
			on_stream(1 + (uint32_t)(random_next(&random) % 4));
			break;
		case 1:
			FRAME_PUT(c.r.fw, time_ns, capture_stop, .name = 0);
			break;
		case 2:
			inputs(time_ns, "[[2, 3], [");
			break;
		case 3:
			begin_scope(time_ns, name, random_next(&random) << 31);
			break;
		case 4:
		case 5:
		case 6:
		case 7:
		case 8:
			begin(time_ns, name);
			break;
		default:
			end(time_ns);
			break;
		}
		if (!frame_block_room(c.r.fw))
			on_stream(1);
	}
	finish();
	for (size_t row = 0; row < table.row_count; row++) {
		assert_true(cell_of(row, COLUMN_ops_self_cpu_ns)->number <=
			    cell_of(row, COLUMN_ops_total_cpu_ns)->number);
		self_ns += cell_of(row, COLUMN_ops_self_cpu_ns)->number;
	}
	assert_int_equal(self_ns, totals.self_cpu_ns);
	assert_true(totals.calls > 5000);
	release();
}
