/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * report/cuda/device_memory.c, report/base/highwater.c: what lives, peaks, frees that are told
 * late.
 */
#include "tests/unit/unit.h"
#include "report/cuda/device_memory.h"

#define A 0x7f0000000000ull
#define B 0x7f0000100000ull

static struct device_memory memory;

static int start(void **state)
{
	device_memory_init(&memory, DEVICE_BY_KIND, NULL);
	return 0;
}

static int stop(void **state)
{
	device_memory_release(&memory);
	return 0;
}

static void put(uint64_t time_ns, uint64_t kind, uint64_t address, uint64_t bytes)
{
	device_memory_allocate(&memory, &(struct device_op){ .time_ns = time_ns,
							     .begin_ns = time_ns,
							     .address = address,
							     .bytes = bytes,
							     .kind = kind,
							     .counts = true });
}

/* A call from `begin_ns` to `time_ns`. */
static void take(uint64_t begin_ns, uint64_t time_ns, uint64_t kind, uint64_t address)
{
	device_memory_free(&memory, &(struct device_op){ .time_ns = time_ns,
							 .begin_ns = begin_ns,
							 .address = address,
							 .kind = kind,
							 .device = kind == EVT_CUDA_ALL ? 0 : -1,
							 .counts = true });
}

TEST_BOTH(what_is_freed_is_not_live, start, stop)
{
	put(10, EVT_CUDA_DEVICE, A, 100);
	put(20, EVT_CUDA_PINNED, B, 50);
	assert_int_equal(memory.device.now, 100);
	assert_int_equal(memory.host.now, 50);
	take(30, 35, EVT_CUDA_ANY, A);
	take(30, 35, EVT_CUDA_ANY, A);
	assert_int_equal(memory.device.now, 0);
	assert_int_equal(highwater_peak(&memory.device), 100);
	assert_int_equal(memory.row[0].frees, 1);
	assert_int_equal(memory.row[1].live.now, 50);
	assert_int_equal(memory.frees_unmatched, 1);
	assert_int_equal(memory.reused, 0);
}

TEST_BOTH(a_free_told_late_ends_the_old_block_only, start, stop)
{
	put(10, EVT_CUDA_DEVICE, A, 100);
	put(5000, EVT_CUDA_DEVICE, A, 30); /* the free began at 4000 and returns at 9000 */
	assert_int_equal(memory.device.now, 30);
	assert_int_equal(memory.reused, 1);
	take(4000, 9000, EVT_CUDA_ANY, A);
	assert_int_equal(memory.device.now, 30);
	assert_int_equal(memory.reused, 0);
	assert_int_equal(memory.row[0].frees, 1);
	take(9500, 9900, EVT_CUDA_ANY, A);
	assert_int_equal(memory.device.now, 0);
	assert_int_equal(memory.row[0].frees, 2);
	assert_int_equal(memory.frees_unmatched, 0);
	assert_int_equal(highwater_peak(&memory.device), 100);
}

TEST_BOTH(frees_on_their_way_are_told_apart_by_their_begin, start, stop)
{
	put(10, EVT_CUDA_DEVICE, A, 100);
	put(5000, EVT_CUDA_DEVICE, A, 30); /* first free: 4000..20000 */
	put(8000, EVT_CUDA_DEVICE, A, 7);  /* second: 7000..19000 */
	take(7000, 19000, EVT_CUDA_ANY, A);
	take(4000, 20000, EVT_CUDA_ANY, A);
	assert_int_equal(memory.device.now, 7);
	assert_int_equal(memory.row[0].frees, 2);
	assert_int_equal(memory.reused, 0);
	assert_int_equal(memory.frees_unmatched, 0);
}

TEST_BOTH(a_block_is_gone_when_its_free_begins, start, stop)
{
	put(10, EVT_CUDA_DEVICE, A, 100);
	put(50, EVT_CUDA_DEVICE, B, 90); /* the free of A began at 40 */
	assert_int_equal(highwater_peak(&memory.device), 190);
	take(40, 80, EVT_CUDA_ANY, A);
	assert_int_equal(highwater_peak(&memory.device), 100);
	assert_int_equal(highwater_peak(&memory.row[0].live), 100);
}

TEST_BOTH(a_block_that_came_after_the_free_began_lives, start, stop)
{
	put(50000, EVT_CUDA_DEVICE, A, 90);
	take(10000, 60000, EVT_CUDA_ANY, A); /* of a block from before the recording */
	assert_int_equal(memory.device.now, 90);
	assert_int_equal(memory.frees_unmatched, 1);
}

TEST_BOTH(a_reset_frees_what_is_on_its_device, start, stop)
{
	struct device_op other = { .time_ns = 5,
				   .address = 0x99,
				   .bytes = 3,
				   .device = 1,
				   .counts = true,
				   .kind = EVT_CUDA_DEVICE };

	put(10, EVT_CUDA_DEVICE, A, 100);
	put(11, EVT_CUDA_POOL, B, 10);
	put(12, EVT_CUDA_PINNED, 0x1000, 50);
	put(13, EVT_CUDA_ARRAY, 1, 8);
	put(14, EVT_CUDA_VIRTUAL, 1, 16);
	device_memory_allocate(&memory, &other);
	other.process = 1; /* another process's device 0 */
	other.device = 0;
	device_memory_allocate(&memory, &other);
	take(20, 30, EVT_CUDA_ALL, 0);
	assert_int_equal(memory.device.now, 6);
	assert_int_equal(memory.host.now, 50);
	assert_int_equal(memory.row[0].frees, 1);
	take(40, 41, EVT_CUDA_ANY, A);
	assert_int_equal(memory.frees_unmatched, 1);
}

TEST_BOTH(handles_are_no_addresses, start, stop)
{
	put(10, EVT_CUDA_DEVICE, 0x100, 1);
	put(11, EVT_CUDA_ARRAY, 0x100, 2);
	put(12, EVT_CUDA_VIRTUAL, 0x100, 4);
	assert_int_equal(memory.device.now, 7);
	take(20, 21, EVT_CUDA_ARRAY, 0x100);
	assert_int_equal(memory.device.now, 5);
	take(20, 21, EVT_CUDA_VIRTUAL, 0x100);
	take(20, 21, EVT_CUDA_ANY, 0x100);
	assert_int_equal(memory.device.now, 0);
	assert_int_equal(memory.frees_unmatched, 0);
}

TEST_BOTH(what_the_filters_leave_out_is_followed_and_not_counted, start, stop)
{
	struct device_op op = { .time_ns = 5, .address = A, .bytes = 3, .kind = EVT_CUDA_DEVICE };

	device_memory_allocate(&memory, &op);
	put(5000, EVT_CUDA_DEVICE, A, 7);
	take(4000, 6000, EVT_CUDA_ANY, A);
	assert_int_equal(memory.row_count, 1);
	assert_int_equal(memory.device.now, 7);
	assert_int_equal(memory.row[0].frees, 0);
	assert_int_equal(memory.reused, 0);
}

/* A copy of put() for a range's row. */
static void put_in(uint32_t range, uint64_t time_ns, int64_t device, uint64_t address,
		   uint64_t bytes)
{
	device_memory_allocate(&memory, &(struct device_op){ .time_ns = time_ns,
							     .begin_ns = time_ns,
							     .address = address,
							     .bytes = bytes,
							     .kind = EVT_CUDA_DEVICE,
							     .device = device,
							     .key = range + 1,
							     .counts = true });
}

TEST_BOTH(rows_at_the_peak_add_up_to_it, start, stop)
{
	memory.by = DEVICE_BY_KEY;
	put_in(1, 10, 0, A, 85);
	put_in(2, 20, 0, B, 100);
	take(30, 30, EVT_CUDA_ANY, B);
	put_in(3, 40, 0, B, 200); /* the peak: 285 */
	put(45, EVT_CUDA_PINNED, 0x1000, 7);
	take(50, 50, EVT_CUDA_ANY, B);
	for (uint64_t i = 100; i < 500; i++) {
		put_in(2, i, 0, B, 150);
		take(i, i, EVT_CUDA_ANY, B);
	}
	device_memory_finish(&memory);
	assert_int_equal(highwater_peak(&memory.device), 285);
	assert_int_equal(device_memory_at_peak(&memory, 0), 85);
	assert_int_equal(device_memory_at_peak(&memory, 1), 0);
	assert_int_equal(device_memory_at_peak(&memory, 2), 200);
	assert_int_equal(device_memory_at_peak(&memory, 3), 0);
}

TEST_BOTH(a_free_told_late_moves_the_peak, start, stop)
{
	memory.by = DEVICE_BY_KEY;
	put_in(1, 10, 0, A, 100);
	put_in(2, 5000, 0, A, 30); /* the free of the first began at 4000 and returns at 9000 */
	put_in(3, 6000, 0, B, 80);
	take(4000, 9000, EVT_CUDA_ANY, A);
	device_memory_finish(&memory);
	assert_int_equal(highwater_peak(&memory.device), 110);
	assert_int_equal(device_memory_at_peak(&memory, 0), 0);
	assert_int_equal(device_memory_at_peak(&memory, 1), 30);
	assert_int_equal(device_memory_at_peak(&memory, 2), 80);
}

TEST_BOTH(ranges_have_a_row_for_each_device, start, stop)
{
	memory.by = DEVICE_BY_KEY;
	put_in(1, 10, 0, A, 10);
	put_in(1, 20, 1, B, 20);
	assert_int_equal(memory.row_count, 2);
	assert_int_equal(memory.row[1].device, 1);
	assert_int_equal(memory.row[1].bytes_allocated, 20);
}

TEST_BOTH(memory_grows_with_live_blocks_only, start, stop)
{
	for (uint64_t i = 1; i <= 1000000; i++) {
		put(i * 100, EVT_CUDA_DEVICE, A + i % 50000 * 512, i);
		if (i % 3)
			take(i * 100 + 50, i * 100 + 60, EVT_CUDA_ANY, A + i % 50000 * 512);
		if (i % 1000 == 0)
			take(i * 100 + 70, i * 100 + 80, EVT_CUDA_ALL, 0);
	}
	assert_true(memory.block_count <= 1000);
	assert_int_equal(memory.device.now, 0);
	assert_int_equal(memory.row[0].frees, 1000000);
}
