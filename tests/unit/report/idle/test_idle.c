/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/idle/idle.c: gaps of a stream taken apart by what the launching thread was in, from
 * made-up recordings.
 */
#include "tests/unit/unit.h"
#include "report/deferred/deferred.h"
#include "report/idle/idle.h"

#define LAUNCH_NS 10
#include "tests/unit/gpu_recording.h"

#define MS 1000000ull

static const struct idle *idle;
static const struct gpu_time *times;

static void kernel(uint64_t told_ns, uint64_t begin_ns, uint64_t took_ns, uint64_t correlation,
		   uint64_t stream)
{
	KERNEL_PUT(told_ns, begin_ns, took_ns, correlation, "k", .stream = stream);
}

static void op(uint64_t time_ns, const char *text)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin, .name = name(text));
}

static void op_end(uint64_t time_ns)
{
	FRAME_PUT(c.r.fw, time_ns, torch_end);
}

static void look(uint64_t time_ns, uint64_t place, uint64_t state)
{
	FRAME_PUT(c.r.fw, time_ns, python_sample, .place = place, .state = state, .looks = 1);
}

static void read_all(enum key_id by, uint32_t pieces_max)
{
	open_run(NULL);
	idle = idle_want(run, &(struct idle_options){ .by = by, .pieces_max = pieces_max });
	times = gpu_time_want(run, NULL);
	run_read(run, false);
}

static uint64_t gaps_ns(void)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < times->stream_count; i++)
		for (int kind = 0; kind < GPU_GAPS; kind++)
			ns += times->stream[i].gap_ns[kind];
	return ns;
}

static uint64_t all_ns(void)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < idle->row_count; i++)
		for (int kind = 0; kind < GPU_GAPS; kind++)
			ns += idle->row[i].gap[kind].total_ns;
	return ns;
}

/* Of the rows of a kind whose name is `text`; NULL: whose value is `value`. */
static uint64_t ns_of(enum idle_kind kind, const char *text, uint64_t value)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < idle->row_count; i++) {
		const struct idle_row *row = &idle->row[i];
		size_t length = 0;
		const char *shown = NULL;

		if (row->kind != kind)
			continue;
		if (kind == IDLE_OP && row->value)
			shown = idle->op.kind->text(idle->op.state, row->value, &length);
		else if (text && kind != IDLE_OP)
			shown = name_text(source_name_at(source, (uint32_t)row->value), &length);
		if (text ? shown && length == strlen(text) && !memcmp(shown, text, length)
			 : row->value == value)
			for (int gap = 0; gap < GPU_GAPS; gap++)
				ns += row->gap[gap].total_ns;
	}
	return ns;
}

/*
 * Kernels of stream 7 until 2000 and from 10010 on, and from 10,510 on, asked for by thread 1;
 * thread 2 does something else. In the first gap: an operator with a call of CUDA and a read in it,
 * a wait, a range, looks, nothing.
 */
static void record_two_gaps(void)
{
	start(1);
	launch(1000, 1);
	op(2500, "aten::copy_");
	FRAME_PUT(c.r.fw, 3100, io_read, .function = name("read"), .fd = 3, .bytes = 1,
		  .duration = 100);
	CUDA_PUT(&c, 3900, cuda_alloc, "cudaMalloc", 400, .bytes = 5, .address = 4096);
	op_end(4000);
	CUDA_PUT(&c, 5500, cuda_call, "cudaStreamSynchronize", 1000, .stream = 0);
	FRAME_PUT(c.r.fw, 6000, nvtx_push, .domain = name("default"), .name = name("load"));
	op(6200, "enumerate(DataLoader)#x");
	op_end(6900);
	FRAME_PUT(c.r.fw, 7000, nvtx_pop, .domain = name("default"));
	launch(10000, 2);
	launch(10500, 3);
	kernel(20000, 1500, 500, 1, 7);
	kernel(20000, 10010, 400, 2, 7);
	kernel(20000, 10510, 400, 3, 7);
	kernel(20000, 12000, 400, 99, 7); /* nobody knows whose */
	on_stream(2);
	op(1500, "aten::elsewhere");
	op_end(11000);
	on_stream(1);
	close_recording(20000 * MS);
}

TEST(activities_are_the_innermost)
{
	record_two_gaps();
	read_all(BY_gpu_idle_activity, 0);
	assert_int_equal(gaps_ns(), 8010 + 100 + 1090);
	assert_int_equal(all_ns(), gaps_ns());
	assert_int_equal(ns_of(IDLE_IO, "read", 0), 100);
	assert_int_equal(ns_of(IDLE_CUDA_MEMORY, "cudaMalloc", 0), 400);
	assert_int_equal(ns_of(IDLE_OP, "aten::copy_", 0), 1500 - 500);
	assert_int_equal(ns_of(IDLE_CUDA, "cudaStreamSynchronize", 0), 1000);
	assert_int_equal(ns_of(IDLE_OP, "enumerate(DataLoader)#x", 0), 700);
	assert_int_equal(ns_of(IDLE_RANGE, NULL, 0), 0);
	assert_int_equal(ns_of(IDLE_CUDA_LAUNCH, "cudaLaunchKernel", 0), 10 + 10);
	assert_int_equal(ns_of(IDLE_OP, "aten::elsewhere", 0), 0);
	assert_int_equal(idle->row[0].gap[GPU_GAP_OTHER].total_ns +
				 idle->row[0].gap[GPU_GAP_KERNEL].total_ns,
			 1090);
	/*
	 * before the operator, up to the wait, up to the range, after it but for the launch, and
	 * the rest of two launches
	 */
	assert_int_equal(ns_of(IDLE_NOT_KNOWN, NULL, 0),
			 500 + 500 + 500 + 2990 + 10 + 80 + 10 + 1090);
	close_run();

	read_all(BY_gpu_idle_op, 0);
	assert_int_equal(all_ns(), gaps_ns());
	assert_int_equal(ns_of(IDLE_OP, "aten::copy_", 0), 1500);
	assert_int_equal(ns_of(IDLE_OP, "enumerate(DataLoader)#x", 0), 700);
	assert_int_equal(ns_of(IDLE_NOT_KNOWN, NULL, 0), 500 + 1090);
	assert_int_equal(ns_of(IDLE_OP, NULL, 0), 8110 - 500 - 1500 - 700);
	close_run();

	read_all(BY_gpu_idle_kind, 0);
	assert_int_equal(idle->row_count, 0);
	assert_int_equal(gaps_ns(), 9200);
	release();
}

TEST(looks_count_where_nothing_else_is_known)
{
	cuda_recording_start(&c, 1);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 1, python_code, .id = 1, .function = name("main"), .file = name("a.py"),
		  .line = 1);
	FRAME_PUT(c.r.fw, 1, python_place, .id = 1, .code = 1, .line = 2);
	FRAME_PUT(c.r.fw, 1, python_place, .id = 2, .code = 1, .line = 3);
	on_stream(1);
	launch(1 * MS, 1);
	look(5 * MS, 1, EVT_PYTHON_SLEEP);
	op(6 * MS, "aten::add");
	op_end(7 * MS);
	look(10 * MS, 1, EVT_PYTHON_SLEEP);
	look(15 * MS, 2, EVT_PYTHON_RUNS);
	launch(18 * MS, 2);
	look(20 * MS, 1, EVT_PYTHON_RUNS);
	kernel(30 * MS, 1 * MS, 1 * MS, 1, 7);
	kernel(30 * MS, 18 * MS, 1 * MS, 2, 7);
	close_recording(10000 * MS);

	read_all(BY_gpu_idle_line, 0);
	assert_int_equal(gaps_ns(), 16 * MS);
	assert_int_equal(all_ns(), 16 * MS);
	assert_int_equal(ns_of(IDLE_PLACE, NULL, 1ull << 32 | 1), 5 * MS);
	assert_int_equal(ns_of(IDLE_PLACE, NULL, 1ull << 32 | 2), 5 * MS);
	assert_int_equal(ns_of(IDLE_NOT_KNOWN, NULL, 0), 6 * MS);
	close_run();

	read_all(BY_gpu_idle_activity, 0);
	assert_int_equal(all_ns(), 16 * MS);
	assert_int_equal(ns_of(IDLE_OP, "aten::add", 0), 1 * MS);
	/* by line nobody knows from 15 ms on, but before and after that it was running */
	assert_int_equal(ns_of(IDLE_STATE, NULL, EVT_PYTHON_RUNS), 8 * MS - 10);
	assert_int_equal(ns_of(IDLE_STATE, NULL, EVT_PYTHON_SLEEP), 3 * MS);
	assert_int_equal(ns_of(IDLE_NOT_KNOWN, NULL, 0), 4 * MS);
	assert_int_equal(ns_of(IDLE_CUDA_LAUNCH, "cudaLaunchKernel", 0), 10);
	release();
}

#define ROUNDS 20000u

/*
 * Stream 8 does one thing at the begin and one at the end, minutes later; stream 7 one each 10 ms.
 */
static void record_long_gap(void)
{
	start(1);
	launch(MS, ROUNDS + 1);
	kernel(MS + 100, MS, 10, ROUNDS + 1, 8);
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		if (frame_block_room(c.r.fw) < 10) {
			on_stream(1);
		}
		op(10 * MS * i, i % 2 ? "aten::one" : "aten::two");
		op_end(10 * MS * i + 3 * MS);
		launch(10 * MS * i + 4 * MS, i);
		kernel(10 * MS * i + 5 * MS, 10 * MS * i + 4 * MS, 10, i, 7);
	}
	launch(10 * MS * (ROUNDS + 1), ROUNDS + 2);
	kernel(10 * MS * (ROUNDS + 1) + 100, 10 * MS * (ROUNDS + 1), 10, ROUNDS + 2, 8);
	close_recording(10 * MS * (ROUNDS + 2));
}

/* The same, whether all stretches are kept until the end or hardly any. */
TEST(long_gaps_are_known_in_little_memory)
{
	static const uint32_t pieces_max[] = { 0, 100 };

	record_long_gap();
	for (size_t i = 0; i < 2; i++) {
		read_all(BY_gpu_idle_op, pieces_max[i]);
		assert_int_equal(all_ns(), gaps_ns());
		assert_int_equal(times->stream_count, 2);
		assert_int_equal(ns_of(IDLE_OP, "aten::one", 0),
				 ROUNDS / 2 * 3 * MS + (ROUNDS / 2 - 1) * 3 * MS);
		assert_int_equal(ns_of(IDLE_OP, "aten::two", 0), 2 * (ROUNDS / 2 * 3 * MS));
		assert_int_equal(ns_of(IDLE_NOT_KNOWN, NULL, 0), 9 * MS - 10);
		assert_int_equal(times->late, 0);
		close_run();
	}
	cuda_recording_release(&c);
}
