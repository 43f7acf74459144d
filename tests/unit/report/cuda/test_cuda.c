/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/cuda/cuda.c, rows_cuda.c, rows_device.c: what counts of CUDA calls, over recordings in
 * memory.
 */
#include "report/cuda/cuda_events.h"
#include "report/cuda/notes_cuda.h"
#include "report/cuda/rows_cuda.h"
#include "report/cuda/rows_device.h"
#include "report/nvtx/range_events.h"
#include "tests/unit/table_fixture.h"
#include "tests/unit/run_fixture.h"

#define ADD "_ZN2at3addIfEEvPT_" /* at::add<float>(float*) */
#define ADD_DOUBLE "_ZN2at3addIdEEvPT_"

static struct cuda *cuda, *other;
static struct ranges *ranges;
static struct works *works;
static struct kernel_names names;
static struct table table;

struct reading {
	struct filter_settings filter;
	enum key_id by, also_by; /* of `cuda` and `other` */
};

static const struct reading plain = {
	.filter = { .pid = FILTER_NO_ID, .tid = FILTER_NO_ID, .to_ns = UINT64_MAX },
	.by = CUDA_BY_FIRST,
	.also_by = CUDA_BY_FIRST,
};
static enum key_id by; /* of the reading */

static void read_as(struct reading options)
{
	source = recording_source(&c.r);
	run = run_new(source, &options.filter);
	by = options.by;
	cuda = cuda_want(run, &(struct cuda_options){ by });
	other = cuda_want(run, &(struct cuda_options){ options.also_by });
	ranges = ranges_want(run, &(struct ranges_options){ .work = work_bits_of("nvtx") });
	works = works_want(run, WORK_BIT(nvtx_ranges));
	run_read(run, false);
}

static void finish_as(struct reading options)
{
	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, 1000000);
	read_as(options);
}

static void finish(void)
{
	finish_as(plain);
}

static void release_run(void)
{
	run_free(run);
	source_close(source);
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

/* The row whose text in the column is `text`. */
static size_t row_of(enum column_id column, const char *text)
{
	return row_at(&table, column, text, 0);
}

static uint64_t number_of(enum column_id key, const char *text, enum column_id column)
{
	return cell_of(row_of(key, text), column)->number;
}

static void launches(enum kernel_form form)
{
	kernel_names_init(&names, source, form);
	key_init_table(&table, by == CUDA_BY_FIRST ? BY_launches_kernel : by);
	launches_fill_table(cuda, &table, &names);
}

static void launches_release(void)
{
	table_release(&table);
	kernel_names_release(&names);
}

static void launch(uint64_t time_ns, const char *kernel, uint32_t grid, uint64_t stream)
{
	CUDA_PUT(&c, time_ns, cuda_launch, "cudaLaunchKernel", 10, .stream = stream,
		 .kernel = cuda_recording_name(&c, kernel), .handle = 1, .grid_x = grid,
		 .grid_y = 1, .grid_z = 1, .block_x = 32, .block_y = 1, .block_z = 1);
}

TEST(nested_calls_count_for_nothing_and_errors_count_twice)
{
	recording_begin(1);
	CUDA_PUT(&c, 100, cuda_call, "cuInit", 5, .flags = EVT_CUDA_NESTED);
	CUDA_PUT(&c, 110, cuda_call, "cudaFree", 20, .result = 0);
	CUDA_PUT(&c, 200, cuda_call, "cudaFree", 30, .result = 2);
	CUDA_PUT(&c, 300, cuda_call, "cudaEventQuery", 1, .result = 600);
	CUDA_PUT(&c, 400, cuda_alloc, "cudaMalloc", 7, .result = 2, .kind = EVT_CUDA_DEVICE,
		 .bytes = 100);
	CUDA_PUT(&c, 500, cuda_copy, "cudaMemcpy", 7, .result = 1, .kind = EVT_CUDA_COPY_HTOD,
		 .bytes = 100);
	CUDA_PUT(&c, 600, cuda_copy, "cudaMemcpy", 9, .kind = EVT_CUDA_COPY_HTOD, .bytes = 40);
	finish();
	table_init(&table, "api", NULL);
	api_fill_table(cuda, source, &table);
	assert_int_equal(table.row_count, 4);
	assert_int_equal(number_of(COLUMN_api_name, "cudaFree", COLUMN_api_calls), 2);
	assert_int_equal(number_of(COLUMN_api_name, "cudaFree", COLUMN_api_total_ns), 50);
	assert_int_equal(number_of(COLUMN_api_name, "cudaFree", COLUMN_api_avg_ns), 25);
	assert_int_equal(number_of(COLUMN_api_name, "cudaFree", COLUMN_api_min_ns), 20);
	assert_int_equal(number_of(COLUMN_api_name, "cudaFree", COLUMN_api_max_ns), 30);
	assert_int_equal(number_of(COLUMN_api_name, "cudaFree", COLUMN_api_stddev_ns), 7);
	assert_int_equal(number_of(COLUMN_api_name, "cudaFree", COLUMN_api_errors), 1);
	assert_int_equal(number_of(COLUMN_api_name, "cudaEventQuery", COLUMN_api_errors), 0);
	assert_int_equal(number_of(COLUMN_api_name, "cudaMalloc", COLUMN_api_errors), 1);
	table_release(&table);
	key_init_table(&table, BY_memcpy_kind);
	copies_fill_table(cuda, source, &table);
	assert_int_equal(number_of(COLUMN_memcpy_kind, "HtoD", COLUMN_memcpy_calls), 2);
	assert_int_equal(number_of(COLUMN_memcpy_kind, "HtoD", COLUMN_memcpy_bytes), 40);
	assert_int_equal(number_of(COLUMN_memcpy_kind, "HtoD", COLUMN_memcpy_avg_bytes), 40);
	assert_int_equal(number_of(COLUMN_memcpy_kind, "HtoD", COLUMN_memcpy_rate), 2500000000);
	assert_int_equal(number_of(COLUMN_memcpy_kind, "HtoD", COLUMN_memcpy_errors), 1);
	table_release(&table);
	assert_int_equal(cuda->memory.row_count, 0);
	assert_int_equal(groups_total(&cuda->api).time.count, 6);
	assert_int_equal(groups_total(&cuda->api).errors, 3);
	assert_int_equal(
		works_counted_of_thread(works, &(struct source_thread){ .index = 0 }).cuda_calls,
		6);
	release();
}

TEST(launches_have_rows_by_every_key)
{
	struct reading options = plain;

	recording_begin(1);
	launch(100, ADD, 4, 0);
	FRAME_PUT(c.r.fw, 110, nvtx_push, .name = cuda_recording_name(&c, "outer"));
	launch(120, ADD, 4, 2);
	FRAME_PUT(c.r.fw, 130, nvtx_push, .name = cuda_recording_name(&c, "inner"));
	launch(140, ADD, 8, 1);
	FRAME_PUT(c.r.fw, 150, nvtx_pop, .domain = 0);
	launch(160, ADD_DOUBLE, 8, 0xabc);
	FRAME_PUT(c.r.fw, 170, nvtx_pop, .domain = 0);
	CUDA_PUT(&c, 180, cuda_launch, "cuLaunchKernel", 10, .handle = 0x77);
	on_stream(2);
	launch(200, "triton_", 1, 2);
	finish();
	launches(NAMES_FULL);
	assert_int_equal(table.row_count, 4);
	assert_int_equal(
		number_of(COLUMN_launches_kernel, "at::add<float>(float*)", COLUMN_launches_calls),
		3);
	assert_int_equal(number_of(COLUMN_launches_kernel, "0x77", COLUMN_launches_calls), 1);
	launches_release();
	release_run();
	read_as(options);
	launches(NAMES_SHORT);
	assert_int_equal(number_of(COLUMN_launches_kernel, "add", COLUMN_launches_calls), 4);
	launches_release();
	release_run();
	read_as(options);
	launches(NAMES_MANGLED);
	assert_int_equal(number_of(COLUMN_launches_kernel, ADD, COLUMN_launches_calls), 3);
	launches_release();
	release_run();
	options.by = BY_launches_grid;
	read_as(options);
	launches(NAMES_FULL);
	assert_int_equal(table.row_count, 5);
	assert_int_equal(number_of(COLUMN_launches_grid, "4x1x1", COLUMN_launches_calls), 2);
	assert_memory_equal(cell_of(0, COLUMN_launches_block)->text, "32x1x1", 7);
	launches_release();
	release_run();
	options.by = BY_launches_range;
	read_as(options);
	launches(NAMES_FULL);
	assert_int_equal(number_of(COLUMN_launches_range, "(no range)", COLUMN_launches_calls), 3);
	assert_int_equal(number_of(COLUMN_launches_range, "outer", COLUMN_launches_calls), 2);
	assert_int_equal(number_of(COLUMN_launches_range, "inner", COLUMN_launches_calls), 1);
	launches_release();
	release_run();
	options.by = BY_launches_stream;
	read_as(options);
	launches(NAMES_FULL);
	assert_int_equal(table.row_count, 4);
	assert_int_equal(number_of(COLUMN_launches_stream, "default", COLUMN_launches_calls), 3);
	assert_int_equal(number_of(COLUMN_launches_stream, "0xabc", COLUMN_launches_calls), 1);
	assert_int_equal(number_of(COLUMN_launches_stream, "per-thread", COLUMN_launches_thread),
			 100);
	launches_release();
	release_run();
	options.by = BY_launches_thread;
	read_as(options);
	launches(NAMES_FULL);
	assert_int_equal(table.row_count, 2);
	assert_int_equal(cell_of(0, COLUMN_launches_calls)->number, 5);
	assert_int_equal(cell_of(1, COLUMN_launches_thread)->number, 200);
	launches_release();
	release();
}

TEST(selection_leave_out_calls_and_follow_memory)
{
	struct reading options = plain;

	recording_begin(1);
	CUDA_PUT(&c, 50, cuda_alloc, "cudaMalloc", 7, .kind = EVT_CUDA_DEVICE, .bytes = 100,
		 .address = 0x100);
	FRAME_PUT(c.r.fw, 110, nvtx_push, .name = cuda_recording_name(&c, "step"));
	launch(120, ADD, 4, 0);
	CUDA_PUT(&c, 150, cuda_alloc, "cudaMalloc", 7, .kind = EVT_CUDA_DEVICE, .bytes = 30,
		 .address = 0x200);
	CUDA_PUT(&c, 160, cuda_copy, "cudaMemsetAsync", 2, .kind = EVT_CUDA_COPY_MEMSET,
		 .bytes = 5);
	FRAME_PUT(c.r.fw, 170, nvtx_pop, .domain = 0);
	launch(180, ADD, 4, 0);
	CUDA_PUT(&c, 190, cuda_free, "cudaFree", 7, .device = -1, .address = 0x100);
	CUDA_PUT(&c, 200, cuda_free, "cudaFree", 7, .device = -1, .address = 0x200);
	CUDA_PUT(&c, 210, cuda_free, "cudaFree", 7, .device = -1, .address = 0);
	finish();
	assert_int_equal(highwater_peak(&cuda->memory.device), 130);
	assert_int_equal(cuda->memory.frees_unmatched, 0);
	assert_int_equal(ranges->row[0].work.launches, 1);
	assert_int_equal(ranges->row[0].work.cuda_calls, 3);
	assert_int_equal(ranges->row[0].work.cuda_ns, 19);
	assert_int_equal(ranges->row[0].work.memcpy_bytes, 5);
	assert_int_equal(ranges->row[0].work.device_bytes, 30);
	release_run();
	options.filter.range = "step";
	options.by = BY_device_memory_range;
	read_as(options);
	assert_int_equal(groups_total(&cuda->launches).time.count, 1);
	assert_int_equal(highwater_peak(&cuda->memory.device), 30);
	assert_int_equal(cuda->memory.device.now, 0);
	key_init_table(&table, BY_device_memory_range);
	device_fill_table(&(struct device_view){ .cuda = cuda }, &table);
	assert_int_equal(device_totals_of(&cuda->memory).bytes_allocated, 30);
	assert_int_equal(number_of(COLUMN_device_memory_range, "step", COLUMN_device_memory_frees),
			 1);
	table_release(&table);
	release();
}

TEST(copies_and_calls_have_rows_by_range)
{
	struct reading options = plain;

	recording_begin(1);
	FRAME_PUT(c.r.fw, 100, nvtx_push, .name = cuda_recording_name(&c, "load"));
	CUDA_PUT(&c, 110, cuda_copy, "cudaMemcpy", 2, .kind = EVT_CUDA_COPY_HTOD, .bytes = 5);
	CUDA_PUT(&c, 120, cuda_copy, "cudaMemcpy", 2, .kind = EVT_CUDA_COPY_DTOH, .bytes = 7);
	CUDA_PUT(&c, 130, cuda_copy, "cudaMemcpyAsync", 2, .kind = EVT_CUDA_COPY_HTOD, .bytes = 11);
	FRAME_PUT(c.r.fw, 190, nvtx_pop, .domain = 0);
	CUDA_PUT(&c, 200, cuda_copy, "cudaMemcpy", 2, .kind = EVT_CUDA_COPY_HTOD, .bytes = 13);
	options.by = BY_memcpy_range;
	options.also_by = BY_api_range;
	finish_as(options);
	key_init_table(&table, BY_memcpy_range);
	copies_fill_table(cuda, source, &table);
	assert_int_equal(table.row_count, 3);
	assert_int_equal(number_of(COLUMN_memcpy_range, "(no range)", COLUMN_memcpy_bytes), 13);
	assert_int_equal(number_of(COLUMN_memcpy_range, "load", COLUMN_memcpy_bytes), 16);
	assert_int_equal(number_of(COLUMN_memcpy_kind, "DtoH", COLUMN_memcpy_bytes), 7);
	table_release(&table);
	key_init_table(&table, BY_api_range);
	api_fill_table(other, source, &table);
	assert_int_equal(table.row_count, 3);
	assert_int_equal(number_of(COLUMN_api_range, "load", COLUMN_api_calls), 2);
	table_release(&table);
	release();
}

static char *notes(void)
{
	char *text = NULL;
	size_t length;
	struct screen screen = { .out = open_memstream(&text, &length), .width = 80 };
	struct notes about = { cuda, run, by == BY_launches_range ? works : NULL };

	notes_print_failures(&about, &screen);
	notes_print_graphs(&about, &screen, "kernels");
	notes_print_outside(&about, &screen, "launches", groups_total(&cuda->launches).time.count);
	fclose(screen.out);
	return text;
}

TEST(what_no_row_says_is_noted)
{
	struct reading options = plain;
	char *text;

	recording_begin(1);
	FRAME_PUT(c.r.fw, 100, nvtx_push, .name = cuda_recording_name(&c, "step"));
	launch(120, ADD, 4, 0);
	FRAME_PUT(c.r.fw, 190, nvtx_pop, .domain = 0);
	CUDA_PUT(&c, 200, cuda_call, "cudaMalloc", 2, .result = 2);
	CUDA_PUT(&c, 210, cuda_call, "cudaGraphLaunch", 2, .result = 0);
	CUDA_PUT(&c, 220, cuda_call, "cudaGraphLaunch_ptsz", 2, .result = 0);
	on_stream(2);
	launch(130, ADD, 4, 0);
	finish();
	text = notes();
	assert_string_equal(text,
			    "cudaMalloc failed 1 time with 2 (out of memory)\n"
			    "2 graph launches: the kernels that a graph replays are not here\n");
	free(text);
	release_run();
	options.by = BY_launches_range;
	read_as(options);
	text = notes();
	assert_non_null(strstr(text, "1 of 2 launches are of thread 200, which opened no range\n"));
	free(text);
	release();
}

static uint64_t launches_with(const char *range, bool during)
{
	struct reading options = plain;
	uint64_t count;

	options.filter.range = range;
	options.filter.during = during;
	read_as(options);
	count = groups_total(&cuda->launches).time.count;
	assert_int_equal(run_filters(run)->seen, strcmp(range, "nosuch") != 0);
	release_run();
	return count;
}

TEST(a_range_is_of_its_own_thread)
{
	recording_begin(1);
	FRAME_PUT(c.r.fw, 100, nvtx_push, .name = cuda_recording_name(&c, "step"));
	launch(120, ADD, 4, 0);
	FRAME_PUT(c.r.fw, 190, nvtx_pop, .domain = 0);
	FRAME_PUT(c.r.fw, 200, nvtx_start, .name = cuda_recording_name(&c, "whole"), .range = 7);
	launch(210, ADD, 4, 0);
	FRAME_PUT(c.r.fw, 300, nvtx_end, .range = 7);
	launch(310, ADD, 4, 0);
	on_stream(2);
	for (uint64_t at = 150; at < 170; at++) /* while the other thread's range is open */
		launch(at, ADD, 4, 0);
	launch(250, ADD, 4, 0);
	finish();
	release_run();
	assert_int_equal(launches_with("step", false), 1);
	assert_int_equal(launches_with("step", true), 21);
	assert_int_equal(launches_with("whole", false), 2);
	assert_int_equal(launches_with("whole", true), 2);
	assert_int_equal(launches_with("nosuch", false), 0);
	cuda_recording_release(&c);
}

TEST(a_forked_child_starts_with_no_device_memory)
{
	recording_begin(2);
	CUDA_PUT(&c, 50, cuda_alloc, "cudaMalloc", 7, .kind = EVT_CUDA_DEVICE, .bytes = 100,
		 .address = 0x100);
	on_stream(3);
	CUDA_PUT(&c, 90, cuda_free, "cudaFree", 7, .device = -1, .address = 0x100);
	finish();
	assert_int_equal(cuda->memory.frees_unmatched, 1);
	assert_int_equal(cuda->memory.device.now, 100);
	release();
}

TEST(kernels_without_number_are_rows_each)
{
	enum { KERNELS = 100000 };
	struct group *first;

	recording_begin(1);
	for (unsigned int i = 0; i < KERNELS; i++) {
		char kernel[64];

		sprintf(kernel, "_ZN2at6kernelILi%uEEEvv", i);
		if (!frame_block_room(c.r.fw))
			on_stream(1);
		launch(100 + i, kernel, 4, 0);
	}
	finish();
	assert_int_equal(cuda->launches.count, KERNELS);
	first = &cuda->launches.group[0];
	assert_true(first->time.durations.room <= 2);
	assert_true(sizeof(*first) <= 160);
	launches(NAMES_FULL);
	assert_int_equal(table.row_count, KERNELS);
	assert_int_equal(
		number_of(COLUMN_launches_kernel, "at::kernel<99999>()", COLUMN_launches_calls), 1);
	launches_release();
	release();
}
