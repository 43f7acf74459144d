/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/cuda/cupti_memory.c, rows_device.c, torch_reserved.c: memory as CUPTI tells, over
 * recordings in memory.
 */
#include "report/cuda/rows_device.h"
#include "report/tensors/tensor_events.h"
#include "tests/unit/table_fixture.h"
#include "tests/unit/run_fixture.h"

#define SECOND 1000000000ull
#define A 0x7f0000000000ull
#define B 0x7f0000100000ull
#define US 1000ull
#define EVENTS 20000u /* a run looks what is settled after so many */

static struct device_view view;
static struct tensors *tensors;
static struct table table;

static uint64_t to_ns = UINT64_MAX;

static void read_by(enum key_id by, const char *range)
{
	struct filter_settings filter = {
		.pid = FILTER_NO_ID, .tid = FILTER_NO_ID, .to_ns = to_ns, .range = range
	};

	source = recording_source(&c.r);
	run = run_new(source, &filter);
	view.cuda = cuda_want(run, &(struct cuda_options){ by });
	view.cupti = cupti_memory_want(run, &(struct cupti_memory_options){ by });
	view.reserved = torch_reserved_want(run, NULL);
	tensors = tensors_want(run, &(struct tensors_options){ .by = BY_tensors_device });
	run_read(run, false);
	key_init_table(&table, by);
	device_fill_table(&view, &table);
}

static void finish(uint64_t end_ns)
{
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, end_ns);
}

static void release_run(void)
{
	table_release(&table);
	run_free(run);
	source_close(source);
}

static void release(void)
{
	release_run();
	cuda_recording_release(&c);
}

/* Told at `now_ns` of what was at `time_ns`. */
static void tell(uint64_t now_ns, uint64_t time_ns, unsigned int operation, uint64_t address,
		 uint64_t bytes)
{
	FRAME_PUT(c.r.fw, now_ns, gpu_memory, .ago_ns = (int64_t)(now_ns - time_ns),
		  .operation = operation, .memory = 3, .address = address, .bytes = bytes);
}

/* A call that returns at `time_ns` and took 2 us. */
static void ask(uint64_t time_ns, uint64_t address, uint64_t bytes)
{
	CUDA_PUT(&c, time_ns, cuda_alloc, "cudaMalloc", 2000, .kind = EVT_CUDA_DEVICE,
		 .bytes = bytes, .address = address);
}

static uint64_t at(size_t row, enum column_id column)
{
	assert_true(row < table.row_count);
	return cell_at(&table, row, column)->number;
}

/*
 * Of a newer recording, or a hostile one: CUPTI's variables of modules are no kind of the file's.
 */
TEST(a_kind_that_nobody_knows_is_unknown)
{
	recording_begin(1);
	CUDA_PUT(&c, 100 * US, cuda_alloc, "cudaMallocNew", 2000, .kind = EVT_CUDA_MEMORY_LIMIT,
		 .bytes = 100, .address = A);
	tell(200 * US, 100 * US, 1, A, 100);
	finish(1000 * US);
	read_by(BY_device_memory_kind, NULL);
	assert_int_equal(table.row_count, 1);
	assert_string_equal(cell_at(&table, 0, COLUMN_device_memory_kind)->text, "unknown");
	assert_int_equal(at(0, COLUMN_device_memory_cupti_bytes), 100);
	release();
}

TEST(records_in_any_order_are_put_in_theirs)
{
	recording_begin(1);
	tell(900 * US, 400 * US, 1, A, 30); /* after A was given back */
	tell(900 * US, 300 * US, 2, A, 100);
	tell(900 * US, 200 * US, 1, B, 50);
	tell(900 * US, 100 * US, 1, A, 100);
	finish(1000 * US);
	read_by(BY_device_memory_kind, NULL);
	assert_int_equal(table.row_count, 1);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_allocations), 3);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_frees), 1);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_bytes), 180);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_peak_bytes), 150);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_live_bytes), 80);
	assert_int_equal(at(0, COLUMN_device_memory_allocations), 0);
	assert_int_equal(view.cupti->memory.reused, 0);
	assert_int_equal(view.cupti->without_call, 3);
	assert_int_equal(view.cupti->late, 0);
	release();
}

/* At the end of --time lives what was given before it, also when that is reported after it. */
TEST(at_a_cut_lives_what_was_given_before)
{
	recording_begin(1);
	ask(102 * US, A, 100);
	ask(202 * US, B, 50);
	tell(900 * US, 600 * US, 1, B + 4096, 7);
	tell(900 * US, 500 * US, 2, A, 100);
	tell(900 * US, 201 * US, 1, B, 50);
	tell(900 * US, 101 * US, 1, A, 100);
	finish(1000 * US);
	to_ns = 400 * US;
	read_by(BY_device_memory_kind, NULL);
	to_ns = UINT64_MAX;
	assert_int_equal(table.row_count, 1);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_allocations), 2);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_live_bytes), 150);
	assert_int_equal(view.cupti->records, 2);
	release();
}

TEST(a_block_is_of_the_call_around_it)
{
	recording_begin(1);
	FRAME_PUT(c.r.fw, 10 * US, nvtx_push, .name = cuda_recording_name(&c, "load"));
	ask(100 * US, A, 1000);
	FRAME_PUT(c.r.fw, 110 * US, nvtx_pop, .domain = 0);
	FRAME_PUT(c.r.fw, 120 * US, nvtx_push, .name = cuda_recording_name(&c, "step"));
	CUDA_PUT(&c, 200 * US, cuda_free, "cudaFree", 1000, .device = -1, .address = A);
	ask(300 * US, A, 1000); /* the same place again */
	FRAME_PUT(c.r.fw, 310 * US, nvtx_pop, .domain = 0);
	tell(900 * US, 299 * US, 1, A, 2048);
	tell(900 * US, 199 * US + 500, 2, A, 1024);
	tell(900 * US, 99 * US, 1, A, 1024);
	tell(900 * US, 500 * US, 1, B, 4096); /* no call */
	finish(1000 * US);
	read_by(BY_device_memory_range, NULL);
	assert_int_equal(table.row_count, 3);
	assert_int_equal(at(row_at(&table, COLUMN_device_memory_range, "load", 0),
			    COLUMN_device_memory_cupti_frees),
			 1);
	assert_int_equal(at(row_at(&table, COLUMN_device_memory_range, "load", 0),
			    COLUMN_device_memory_cupti_bytes),
			 1024);
	assert_int_equal(at(row_at(&table, COLUMN_device_memory_range, "step", 0),
			    COLUMN_device_memory_cupti_live_bytes),
			 2048);
	assert_int_equal(at(row_at(&table, COLUMN_device_memory_range, "step", 0),
			    COLUMN_device_memory_live_bytes),
			 1000);
	assert_int_equal(view.cupti->without_call, 1);
	release_run();
	/* filters look at the call; what has none does not count then */
	read_by(BY_device_memory_range, "step");
	assert_int_equal(table.row_count, 1);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_allocations), 1);
	assert_int_equal(view.cupti->without_call, 0);
	assert_int_equal(view.cupti->memory.device.now, 2048);
	release();
}

/*
 * One call takes long, as the first does, and other threads ask meanwhile: theirs are over, and
 * CUPTI tells of none.
 */
TEST(many_calls_do_not_displace_one_under_way)
{
	recording_begin(1);
	for (uint64_t i = 0; i < 6000; i++)
		ask(1000 * US + i * 100 * US, B + i, 8);
	CUDA_PUT(&c, SECOND, cuda_alloc, "cudaMalloc", SECOND - 100 * US, .kind = EVT_CUDA_DEVICE,
		 .bytes = 1000, .address = A);
	tell(SECOND + 900 * US, SECOND - 1 * US, 1, A, 1024);
	finish(2 * SECOND);
	read_by(BY_device_memory_kind, NULL);
	assert_int_equal(at(0, COLUMN_device_memory_allocations), 6001);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_bytes), 1024);
	assert_int_equal(view.cupti->without_call, 0);
	release();
}

TEST(lost_records_leave_no_wrong_sum_of_an_address)
{
	recording_begin(1);
	tell(900 * US, 100 * US, 1, A, 100);
	tell(900 * US, 200 * US, 1, A, 70); /* its release was lost */
	tell(900 * US, 300 * US, 2, A, 70);
	tell(900 * US, 400 * US, 2, B, 5); /* its allocation was lost */
	FRAME_PUT(c.r.fw, 900 * US, gpu_lost, .count = 2, .reason = EVT_GPU_LOST_DROPPED);
	finish(1000 * US);
	read_by(BY_device_memory_kind, NULL);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_live_bytes), 0);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_peak_bytes), 100);
	assert_int_equal(view.cupti->memory.reused, 1);
	assert_int_equal(view.cupti->memory.frees_unmatched, 1);
	assert_int_equal(view.cupti->lost, 2);
	release();
}

TEST(a_reset_ends_what_is_left)
{
	recording_begin(1);
	CUDA_PUT(&c, 500 * US, cuda_free, "cudaDeviceReset", 1000, .kind = EVT_CUDA_ALL,
		 .device = 0);
	tell(900 * US, 100 * US, 1, A, 100);
	tell(900 * US, 600 * US, 1, A, 7);
	FRAME_PUT(c.r.fw, 901 * US, gpu_memory, .ago_ns = 0, .operation = 9, .memory = 3,
		  .address = B, .bytes = 1); /* what that is nobody knows */
	finish(1000 * US);
	read_by(BY_device_memory_device, NULL);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_frees), 1);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_live_bytes), 7);
	assert_int_equal(view.cupti->memory.reused, 0);
	assert_int_equal(view.cupti->records, 2);
	release();
}

/* Ten seconds and more behind: applied as it comes, and counted. */
TEST(what_is_told_too_late_is_counted)
{
	recording_begin(1);
	for (uint64_t i = 0; i < EVENTS; i++)
		tell(SECOND + i, SECOND + i, 1 + i % 2, A, 10);
	frame_end_block(c.r.fw);
	recording_close_frame(&c.r, 30 * SECOND);
	frame_begin_block(c.r.fw, 1);
	for (uint64_t i = 0; i < EVENTS; i++)
		tell(30 * SECOND, 30 * SECOND, 1 + i % 2, A, 10);
	tell(30 * SECOND, 2, 1, B, 10);
	finish(31 * SECOND);
	read_by(BY_device_memory_kind, NULL);
	assert_int_equal(view.cupti->late, 1);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_allocations), EVENTS + 1);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_live_bytes), 10);
	release();
}

static void totals(uint64_t time_ns, uint64_t device, uint64_t reserved)
{
	FRAME_PUT(c.r.fw, time_ns, tensor_totals, .device = device, .allocated = 1,
		  .reserved = reserved);
}

TEST(pytorch_says_what_it_holds)
{
	recording_begin(1);
	tell(100 * US, 100 * US, 1, A, 500);
	totals(200 * US, 1 << 8 | 1, 300);
	totals(300 * US, 1 << 8 | 1, 400);
	totals(400 * US, 1 << 8 | 1, 100);
	totals(450 * US, 1 << 8 | 2, 50);
	totals(500 * US, 0, 900); /* the CPU */
	finish(1000 * US);
	read_by(BY_device_memory_device, NULL);
	assert_int_equal(table.row_count, 1);
	assert_int_equal(at(0, COLUMN_device_memory_torch_reserved_bytes), 400);
	assert_int_equal(highwater_peak(&view.reserved->all), 400);
	assert_int_equal(highwater_peak(torch_reserved_of(view.reserved, 1)), 50);
	assert_null(torch_reserved_of(view.reserved, 2));
	release();
}

/* PyTorch gives nothing back as it ends: the next process has the memory. */
TEST(a_process_that_has_ended_holds_nothing)
{
	recording_begin(3);
	totals(100 * US, 1 << 8 | 1, 300);
	totals(110 * US, 1 << 8 | 2, 20);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 500 * US, process_end, .process = 1);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 3);
	totals(400 * US, 1 << 8 | 1, 10);  /* both run */
	totals(600 * US, 1 << 8 | 1, 305); /* the first has ended */
	finish(1000 * US);
	read_by(BY_device_memory_device, NULL);
	assert_int_equal(highwater_peak(torch_reserved_of(view.reserved, 0)), 310);
	assert_int_equal(highwater_peak(torch_reserved_of(view.reserved, 1)), 20);
	assert_int_equal(highwater_peak(&view.reserved->all), 330);
	assert_int_equal(view.reserved->all.now, 305);
	/* and so it is in report tensors */
	assert_int_equal(tensors->device[0].reserved_peak, 310);
	assert_int_equal(tensors->device[0].reserved, 305);
	assert_int_equal(tensors->device[1].reserved_peak, 20);
	release();
}

/*
 * The blocks of a program that ends are not given back one by one, and the next program's are not
 * beside them.
 */
TEST(blocks_of_a_process_that_has_ended_are_no_part_of_a_peak)
{
	recording_begin(3);
	ask(100 * US, A, 300);
	CUDA_PUT(&c, 110 * US, cuda_alloc, "cudaHostAlloc", 2000, .kind = EVT_CUDA_PINNED,
		 .bytes = 40, .address = B);
	tell(400 * US, 99 * US, 1, A, 300);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 500 * US, process_end, .process = 1);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 3);
	ask(300 * US, B, 20); /* both run */
	tell(650 * US, 299 * US, 1, B, 20);
	ask(600 * US, A, 310);
	CUDA_PUT(&c, 610 * US, cuda_alloc, "cudaHostAlloc", 2000, .kind = EVT_CUDA_PINNED,
		 .bytes = 50, .address = B + 64);
	tell(650 * US, 599 * US, 1, A, 310);
	finish(1000 * US);
	read_by(BY_device_memory_device, NULL);
	assert_int_equal(highwater_peak(&view.cuda->memory.device), 330);
	assert_int_equal(highwater_peak(&view.cuda->memory.host), 50);
	assert_int_equal(highwater_peak(&view.cupti->memory.device), 330);
	assert_int_equal(at(0, COLUMN_device_memory_peak_bytes), 330);
	assert_int_equal(at(0, COLUMN_device_memory_at_peak_bytes), 330);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_peak_bytes), 330);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_at_peak_bytes), 330);
	/* never given back, whoever has ended */
	assert_int_equal(at(0, COLUMN_device_memory_live_bytes), 630);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_live_bytes), 630);
	assert_int_equal(view.cuda->memory.device_left, 630);
	assert_int_equal(view.cuda->memory.host_left, 90);
	release();
}

/* Of the host, pinned or not: no part of what a device has. */
TEST(pageable_memory_is_the_hosts)
{
	recording_begin(1);
	tell(100 * US, 100 * US, 1, A, 500);
	FRAME_PUT(c.r.fw, 200 * US, gpu_memory, .operation = 1, .memory = 1, .address = B,
		  .bytes = 70);
	finish(1000 * US);
	read_by(BY_device_memory_kind, NULL);
	assert_int_equal(table.row_count, 2);
	assert_int_equal(at(row_at(&table, COLUMN_device_memory_kind, "pageable", 0),
			    COLUMN_device_memory_cupti_live_bytes),
			 70);
	assert_int_equal(highwater_peak(&view.cupti->memory.device), 500);
	assert_int_equal(highwater_peak(&view.cupti->memory.host), 70);
	release();
}

static void pool(uint64_t now_ns, uint64_t time_ns, unsigned int operation, uint64_t address,
		 uint64_t bytes)
{
	FRAME_PUT(c.r.fw, now_ns, gpu_pool, .ago_ns = (int64_t)(now_ns - time_ns),
		  .operation = operation, .address = address, .bytes = bytes);
}

TEST(pools_hold_more_than_they_give_out)
{
	recording_begin(3);
	pool(400 * US, 200 * US, 3, A, 64); /* told in no order */
	FRAME_PUT(c.r.fw, 400 * US, gpu_memory, .ago_ns = 300 * US, .operation = 1, .memory = 3,
		  .address = A, .bytes = 10, .pool = 1, .pool_address = A, .pool_bytes = 512);
	pool(400 * US, 150 * US, 1, B, 100);
	pool(400 * US, 180 * US, 2, B, 100); /* gone */
	pool(400 * US, 300 * US, 1, B, 90);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 500 * US, process_end, .process = 1);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 3);
	pool(700 * US, 600 * US, 1, A, 600); /* of another process: the first has ended */
	finish(1000 * US);
	read_by(BY_device_memory_device, NULL);
	assert_int_equal(highwater_peak(&view.cupti->pools.all), 612);
	assert_int_equal(view.cupti->pools.all.now, 600);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_pool_bytes), 612);
	assert_int_equal(at(0, COLUMN_device_memory_cupti_peak_bytes), 10);
	assert_null(cupti_pools_of(&view.cupti->pools, 1));
	release();
}

TEST(nodes_that_allocate_are_counted_once)
{
	recording_begin(1);
	FRAME_PUT(c.r.fw, 100 * US, gpu_captured, .node = 1, .graph = 1, .kind = 10);
	FRAME_PUT(c.r.fw, 110 * US, gpu_captured, .node = 2, .of = 1, .graph = 2, .kind = 10);
	FRAME_PUT(c.r.fw, 120 * US, gpu_captured, .node = 3, .graph = 1, .kind = 11);
	finish(1000 * US);
	read_by(BY_device_memory_kind, NULL);
	assert_int_equal(view.cupti->graph_nodes, 1);
	release();
}
