/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/torch/collectives.c: calls of several processes belong together by their order, and who
 * waited for whom.
 */
#include "tests/unit/unit.h"
#include "report/torch/collectives.h"
#include "tests/unit/gpu_recording.h"

#define SECOND 1000000000u
#define USER 7u

static const struct collectives *all;

static void on_process(unsigned int process)
{
	frame_begin_block(c.r.fw, 2 * process - 1);
}

static void off_process(void)
{
	frame_end_block(c.r.fw);
}

static void async(uint64_t begin_ns, uint64_t end_ns, const char *label)
{
	FRAME_PUT(c.r.fw, begin_ns, torch_async_begin, .name = name(label), .function = 64);
	if (end_ns)
		FRAME_PUT(c.r.fw, end_ns, torch_async_end, .function = 64);
}

static void scope(uint64_t begin_ns, uint64_t end_ns, const char *label)
{
	FRAME_PUT(c.r.fw, begin_ns, torch_begin_ex, .name = name(label), .scope = USER,
		  .sequence = -1);
	FRAME_PUT(c.r.fw, end_ns, torch_end_ex, .name = name(label));
}

static void finish(enum key_id by)
{
	cuda_recording_finish(&c, 2ull * SECOND);
	open_run(NULL);
	all = collectives_want(run, &(struct collectives_options){ .by = by });
	run_read(run, false);
}

static const struct collective_row *row_of(const char *label, unsigned int process)
{
	for (size_t i = 0; i < all->row_count; i++)
		if (!strcmp(source_name_at(source, all->row[i].name)->text, label) &&
		    (!all->by_rank || all->row[i].process == process))
			return &all->row[i];
	fail_msg("no row %s", label);
	return NULL;
}

/* Two calls each: the second process is late by 300 and then early by 50. */
static void write_two(void)
{
	cuda_recording_start(&c, 2);
	on_process(1);
	async(1000, 1400, "gloo:all_reduce");
	async(2050, 2100, "gloo:all_reduce");
	scope(3000, 3010, "gloo:barrier");
	scope(4000, 4010, "a label");
	off_process();
	on_process(2);
	async(1300, 1410, "gloo:all_reduce");
	async(2000, 2110, "gloo:all_reduce");
	off_process();
}

TEST(who_comes_first_waits)
{
	const struct collective_row *row;

	write_two();
	finish(BY_nccl_op);
	assert_int_equal(all->row_count, 2);
	row = row_of("gloo:all_reduce", 0);
	assert_int_equal(row->time.count, 4);
	assert_int_equal(row->time.total_ns, 400 + 50 + 110 + 110);
	assert_int_equal(row->processes, 2);
	assert_int_equal(row->matched, 4);
	assert_int_equal(row->wait_ns, 300 + 50);
	assert_int_equal(row->skew_max_ns, 300);
	row = row_of("gloo:barrier", 0);
	assert_int_equal(row->time.total_ns, 10);
	assert_int_equal(row->matched, 0); /* of one process */
	assert_int_equal(all->unmatched, 0);
	release();
	write_two();
	finish(BY_nccl_rank);
	assert_int_equal(row_of("gloo:all_reduce", 0)->wait_ns, 300);
	assert_int_equal(row_of("gloo:all_reduce", 1)->wait_ns, 50);
	release();
}

/*
 * Nobody waits longer than the call took: a broadcast's sender may be done before the others begin.
 */
TEST(a_wait_ends_with_the_call)
{
	cuda_recording_start(&c, 2);
	on_process(1);
	async(1000, 1100, "gloo:broadcast");
	off_process();
	on_process(2);
	async(1500, 1600, "gloo:broadcast");
	off_process();
	finish(BY_nccl_op);
	assert_int_equal(row_of("gloo:broadcast", 0)->wait_ns, 100);
	assert_int_equal(row_of("gloo:broadcast", 0)->skew_max_ns, 500);
	release();
}

TEST(unequal_counts_are_not_matched)
{
	cuda_recording_start(&c, 2);
	on_process(1);
	async(1000, 1100, "gloo:all_reduce");
	async(2000, 2100, "gloo:all_reduce");
	async(3000, 3100, "gloo:broadcast");
	async(4000, 0, "gloo:broadcast"); /* has not ended */
	off_process();
	on_process(2);
	async(1500, 1600, "gloo:all_reduce");
	async(3500, 3600, "gloo:broadcast");
	off_process();
	finish(BY_nccl_op);
	assert_int_equal(all->unmatched, 1);
	assert_int_equal(all->open, 1);
	assert_int_equal(row_of("gloo:all_reduce", 0)->matched, 0);
	assert_int_equal(row_of("gloo:all_reduce", 0)->wait_ns, 0);
	assert_int_equal(row_of("gloo:broadcast", 0)->matched, 2);
	release();
}

TEST(kernels_of_nccl_are_rows)
{
	static const char kernel[] = "_Z38ncclDevKernel_AllReduce_Sum_f32_RING_LL";

	cuda_recording_start(&c, 1);
	on_process(1);
	CUDA_PUT(&c, 900, cuda_launch, "cudaLaunchKernel", 5, .kernel = name(kernel),
		 .correlation = 1);
	CUDA_PUT(&c, 950, cuda_launch, "cudaLaunchKernel", 5, .kernel = name("k"),
		 .correlation = 2);
	FRAME_PUT(c.r.fw, 2000, gpu_kernel, .ago_ns = 1000, .duration_ns = 70, .correlation = 1,
		  .kernel = name(kernel));
	FRAME_PUT(c.r.fw, 2000, gpu_kernel, .ago_ns = 900, .duration_ns = 70, .correlation = 2,
		  .kernel = name("k"));
	off_process();
	finish(BY_nccl_op);
	assert_int_equal(all->row_count, 1);
	assert_true(all->row[0].is_kernel);
	assert_int_equal(all->row[0].time.total_ns, 70);
	release();
}

static void op(uint64_t time_ns, const char *text, int64_t first, int64_t second, uint64_t ranks)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin, .name = name(text));
	FRAME_PUT(c.r.fw, time_ns, torch_collective, .name = name(text),
		  .first_bytes = (uint64_t)first, .second_bytes = (uint64_t)second, .ranks = ranks);
}

static void op_end(uint64_t time_ns)
{
	FRAME_PUT(c.r.fw, time_ns, torch_end);
}

static void kernel(uint64_t time_ns, uint64_t correlation, uint64_t duration_ns)
{
	CUDA_PUT(&c, time_ns, cuda_launch, "cudaLaunchKernel", 5, .kernel = name("ncclDevKernel_x"),
		 .correlation = correlation);
	FRAME_PUT(c.r.fw, time_ns + 1, gpu_kernel, .ago_ns = 0, .duration_ns = duration_ns,
		  .correlation = correlation, .kernel = name("ncclDevKernel_x"));
}

/*
 * The label begins inside of the operator, and so does the launch; a second kernel of it brings no
 * more bytes.
 */
TEST(bytes_of_what_is_inside)
{
	const struct collective_row *row;

	cuda_recording_start(&c, 1);
	on_process(1);
	op(1000, "c10d::_allgather_base_", 800, 100, 8);
	FRAME_PUT(c.r.fw, 1001, torch_begin, .name = name("aten::inside"));
	async(1010, 1020, "nccl:_all_gather_base");
	kernel(1030, 1, 50);
	kernel(1040, 2, 30);
	op_end(1050);
	op_end(1060);
	off_process();
	finish(BY_nccl_op);
	row = row_of("nccl:_all_gather_base", 0);
	assert_int_equal(row->sized, 1);
	assert_int_equal(row->bytes, 800);
	row = row_of("ncclDevKernel_x", 0);
	assert_int_equal(row->sized, row->time.count);
	assert_int_equal(row->bytes, 800);
	assert_true(row->bus_bytes == 700);
	assert_int_equal(row->bus_sized, 2);
	release();
}

/*
 * A kernel behind its operator, as of a group of calls, is nobody's; one call less, and none of
 * them is known.
 */
TEST(bytes_that_are_not_known)
{
	cuda_recording_start(&c, 1);
	on_process(1);
	op(1000, "c10d::allreduce_", 800, 0, 0);
	op_end(1010);
	kernel(1030, 1, 50);
	op(1100, "c10d::allreduce_", 800, 0, 2);
	op_end(1110);
	async(1120, 1130, "gloo:all_reduce");
	op(1200, "c10d::broadcast_", -1, 0, 2);
	op_end(1210);
	async(1220, 1230, "gloo:broadcast");
	op(1300, "c10d::reduce_", 24, 0, 0);
	op_end(1310);
	async(1320, 1330, "gloo:reduce");
	off_process();
	finish(BY_nccl_op);
	assert_int_equal(row_of("ncclDevKernel_x", 0)->sized, 0);
	assert_int_equal(row_of("gloo:all_reduce", 0)->sized, 0);
	assert_int_equal(row_of("gloo:broadcast", 0)->sized, 0);
	assert_int_equal(row_of("gloo:reduce", 0)->bytes, 24); /* its factor needs no ranks */
	assert_int_equal(row_of("gloo:reduce", 0)->bus_sized, 1);
	release();
}

static void expect_size(const char *text, uint64_t ranks, uint64_t bytes, double bus_bytes)
{
	struct collective_size size;

	assert_true(collective_size_of(text, strlen(text), 1200, 2400, ranks, &size));
	assert_true(size.bytes == bytes);
	assert_true(bus_bytes < 0 ? size.bus_bytes < 0 : size.bus_bytes == bus_bytes);
}

/* doc/PERFORMANCE.md of nccl-tests */
TEST(sizes_are_those_of_nccl_tests)
{
	struct collective_size size;

	expect_size("c10d::allreduce_", 4, 1200, 1800);
	expect_size("c10d::allreduce_", 0, 1200, -1);
	expect_size("c10d::allgather_", 4, 1200, 900);
	expect_size("c10d::_reduce_scatter_base_", 4, 2400, 1800);
	expect_size("c10d::broadcast_", 0, 1200, 1200);
	expect_size("c10d::gather_", 4, 9600, 7200);
	expect_size("c10d::gather_", 0, COLLECTIVE_UNKNOWN, -1);
	expect_size("c10d::scatter_", 4, 4800, 3600);
	expect_size("c10d::alltoall_base_", 1, 2400, 0);
	expect_size("c10d::barrier", 4, 0, 0);
	assert_false(collective_size_of("c10d::allreduce", 15, 1, 1, 1, &size));
	assert_true(collective_size_of("c10d::gather_", 13, 1, INT64_MAX, UINT64_MAX, &size));
	assert_true(size.bytes == COLLECTIVE_UNKNOWN);
}

TEST(labels_say_backend_and_operation)
{
	struct collective_label label;

	assert_true(collective_label_of("nccl:_all_gather_base", 21, &label));
	assert_memory_equal(label.op, "_all_gather_base", label.op_length);
	assert_int_equal(label.backend_length, 4);
	assert_false(collective_label_of("nccl:", 5, &label));
	assert_false(collective_label_of("gloomy:all", 10, &label));
	assert_false(collective_label_of("", 0, &label));
}
