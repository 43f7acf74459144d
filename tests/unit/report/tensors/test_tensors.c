/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * report/tensors/tensors.c, rows_tensors.c: what lives where, who holds the peak, what is inside of
 * what.
 */
#include "tests/unit/unit.h"
#include "report/tensors/rows_tensors.h"
#include "report/tensors/tensors.h"

#define A 0x7f0000000000ull
#define B 0x7f0000100000ull
#define CUDA0 0x101u
#define CUDA1 0x102u

enum { NONE, OUTER, INNER, OTHER }; /* keys */

static struct tensors tensors;

static int start(void **state)
{
	tensors_init(&tensors, TENSORS_BY_KEY, NULL);
	return 0;
}

static int stop(void **state)
{
	tensors_release(&tensors);
	return 0;
}

static struct tensor_op at(uint64_t time_ns, uint64_t key, uint64_t address, uint64_t bytes)
{
	return (struct tensor_op){
		.time_ns = time_ns, .key = key, .address = address, .bytes = bytes, .counts = true
	};
}

static void put(uint64_t time_ns, uint64_t key, uint64_t address, uint64_t bytes)
{
	struct tensor_op op = at(time_ns, key, address, bytes);

	tensors_allocate(&tensors, &op);
}

static uint64_t take(uint64_t time_ns, uint64_t key, uint64_t address)
{
	struct tensor_op op = at(time_ns, key, address, 0);

	return tensors_free(&tensors, &op);
}

static const struct tensor_row *row_of(uint64_t device, uint64_t key)
{
	for (size_t i = 0; i < tensors.row_count; i++)
		if (tensors.row[i].key == key &&
		    tensors.device[tensors.row[i].device].device == device)
			return &tensors.row[i];
	fail_msg("no row of key %u", (unsigned int)key);
	return NULL;
}

TEST_BOTH(who_allocated_holds_who_frees_has_freed, start, stop)
{
	put(10, INNER, A, 100);
	put(20, OTHER, B, 50);
	assert_int_equal(take(30, OTHER, A), 100);
	put(40, INNER, A, 30);
	tensors_finish(&tensors);
	assert_int_equal(row_of(0, INNER)->peak_bytes, 100);
	assert_int_equal(row_of(0, OTHER)->peak_bytes, 50);
	assert_int_equal(row_of(0, INNER)->live_bytes, 30);
	assert_int_equal(row_of(0, INNER)->self.frees, 0);
	assert_int_equal(row_of(0, OTHER)->self.bytes_freed, 100);
	assert_int_equal(tensors.live.peak_bytes, 150);
	assert_int_equal(tensors.live.peak_time_ns, 20);
	assert_int_equal(tensors.live.bytes, 80);
	assert_int_equal(tensors.flow.frees, 1);
}

TEST_BOTH(what_is_around_has_it_once, start, stop)
{
	static const uint64_t around[] = { OUTER, INNER, OUTER };
	struct tensor_op op = at(10, INNER, A, 100);

	op.outer = around;
	op.outer_count = 3;
	tensors_allocate(&tensors, &op);
	put(20, OUTER, B, 1);
	assert_int_equal(row_of(0, INNER)->total.allocations, 1);
	assert_int_equal(row_of(0, INNER)->self.bytes_allocated, 100);
	assert_int_equal(row_of(0, OUTER)->total.bytes_allocated, 101);
	assert_int_equal(row_of(0, OUTER)->self.bytes_allocated, 1);
	assert_int_equal(row_of(0, OUTER)->live_bytes, 1);
}

TEST_BOTH(each_device_has_its_own_peak, start, stop)
{
	struct tensor_op op = at(10, INNER, A, 1000);

	op.device = CUDA0;
	tensors_allocate(&tensors, &op);
	put(15, INNER, A, 7); /* the CPU's block of that address is another */
	op.time_ns = 20;
	assert_int_equal(tensors_free(&tensors, &op), 1000);
	op = at(30, OTHER, B, 600);
	op.device = CUDA1;
	tensors_allocate(&tensors, &op);
	tensors_finish(&tensors);
	assert_int_equal(row_of(CUDA0, INNER)->peak_bytes, 1000);
	assert_int_equal(row_of(CUDA0, INNER)->live_bytes, 0);
	assert_int_equal(row_of(CUDA1, OTHER)->peak_bytes, 600);
	assert_int_equal(row_of(0, INNER)->peak_bytes, 7);
	assert_int_equal(tensors.live.peak_bytes, 1007);
	assert_int_equal(tensors.reused, 0);
}

TEST_BOTH(a_block_never_seen_is_unmatched, start, stop)
{
	struct tensor_op op = at(10, INNER, A, 512);

	op.device = CUDA0;
	assert_int_equal(take(5, INNER, B), 0);
	assert_int_equal(tensors_free(&tensors, &op), 512); /* it says so itself */
	assert_int_equal(tensors.frees_unmatched, 2);
	assert_int_equal(tensors.row_count, 0);
	put(5000, INNER, B, 10);
	put(9000, INNER, B, 20);
	assert_int_equal(tensors.reused, 1);
	assert_int_equal(tensors.live.bytes, 20);
}

TEST_BOTH(a_microsecond_across_threads_is_put_right, start, stop)
{
	struct tensor_op op = at(1000, OTHER, A, 0);

	op.thread = 1;
	tensors_free(&tensors, &op);
	put(1500, INNER, A, 10);
	assert_int_equal(tensors.frees_unmatched, 0);
	assert_int_equal(tensors.live.bytes, 0);
	assert_int_equal(tensors.flow.frees, 1);
	put(5000, INNER, B, 10);
	put(6000, INNER, B, 20);
	op = at(6100, OTHER, B, 0);
	op.thread = 1;
	assert_int_equal(tensors_free(&tensors, &op), 10);
	assert_int_equal(tensors.reused, 0);
	assert_int_equal(tensors.live.bytes, 20);
}

TEST_BOTH(what_does_not_count_is_remembered, start, stop)
{
	struct tensor_op op = at(10, INNER, A, 100);

	op.counts = false;
	tensors_allocate(&tensors, &op);
	assert_int_equal(tensors.live.bytes, 0);
	assert_int_equal(take(20, OTHER, A), 100);
	assert_int_equal(tensors.frees_unmatched, 0);
	assert_int_equal(tensors.flow.frees, 0);
}

TEST_BOTH(a_child_starts_with_none, start, stop)
{
	struct tensor_op op = at(20, INNER, A, 0);

	put(10, INNER, A, 100);
	op.process = 1;
	assert_int_equal(tensors_free(&tensors, &op), 0);
	assert_int_equal(tensors.frees_unmatched, 1);
	assert_int_equal(tensors.live.bytes, 100);
}

/* Nobody says that a process frees what it has as it ends, and it holds nothing after that. */
TEST_BOTH(a_process_that_has_ended_holds_nothing, start, stop)
{
	struct tensor_op second = at(40, OTHER, A, 100), late = at(50, INNER, B, 0);
	const struct layers *layers;

	tensors_keep_layers(&tensors);
	put(10, INNER, A, 100);
	put(20, INNER, B, 7);
	tensors_end_process(&tensors, 0, 30);
	tensors_end_process(&tensors, 0, 31);
	tensors_end_process(&tensors, 5, 32); /* one that had none */
	second.process = 1;
	tensors_allocate(&tensors, &second);
	assert_int_equal(tensors_free(&tensors, &late), 7); /* told late */
	put(60, INNER, B, 1000);
	tensors_finish(&tensors);
	assert_int_equal(tensors.live.peak_bytes, 107);
	assert_int_equal(tensors.live.peak_time_ns, 20);
	assert_int_equal(tensors.device[0].live.peak_bytes, 107);
	assert_int_equal(row_of(0, INNER)->peak_bytes, 107);
	assert_int_equal(row_of(0, OTHER)->peak_bytes, 0);
	/* what was never freed is counted, whoever has ended */
	assert_int_equal(tensors.live.bytes, 1200);
	assert_int_equal(row_of(0, INNER)->live_bytes, 1100);
	layers = tensors_end_layers(&tensors, 100);
	assert_int_equal(layers->moment[layers->count - 1].all, 100);
	assert_int_equal(layers->moment[layers->count - 1].count, 1);
	assert_int_equal(layers->moment[layers->count - 1].part[0].value, 100);
}

TEST_BOTH(blocks_of_several_processes_go_with_their_own, start, stop)
{
	struct tensor_op op = at(1, INNER, 0, 10);

	for (uint32_t i = 0; i < 12; i++) {
		op.process = i % 3;
		op.address = A + i;
		tensors_allocate(&tensors, &op);
	}
	for (uint32_t i = 0; i < 12; i += 5) { /* of each process one: 0, 5 (2), 10 (1) */
		op.process = i % 3;
		op.address = A + i;
		assert_int_equal(tensors_free(&tensors, &op), 10);
	}
	tensors_end_process(&tensors, 1, 2);
	assert_int_equal(tensors.live.gone_bytes, 30);
	assert_int_equal(tensors.live.bytes, 90);
	tensors_end_process(&tensors, 0, 3);
	assert_int_equal(tensors.live.gone_bytes, 60);
	op.process = 2;
	op.address = A + 2;
	assert_int_equal(tensors_free(&tensors, &op), 10);
	assert_int_equal(tensors.live.gone_bytes, 60);
	assert_int_equal(tensors.live.bytes, 80);
}

TEST_BOTH(what_is_reserved_is_the_sum_of_processes, start, stop)
{
	static const struct source_process first = { .index = 0 }, second = { .index = 1 };

	tensors_reserve(&tensors, &first, 10, CUDA0, 100);
	tensors_reserve(&tensors, &second, 20, CUDA0, 50);
	tensors_reserve(&tensors, &first, 30, CUDA0, 20);
	tensors_fail(&tensors, CUDA0);
	assert_int_equal(tensors.device[0].reserved, 70);
	assert_int_equal(tensors.device[0].reserved_peak, 150);
	assert_int_equal(tensors.device[0].ooms, 1);
	assert_int_equal(tensors.ooms, 1);
}

TEST(devices_have_names)
{
	char text[TENSOR_DEVICE_BYTES];

	assert_string_equal(tensor_device_text(0, text), "cpu");
	assert_string_equal(tensor_device_text(CUDA1, text), "cuda:1");
	assert_string_equal(tensor_device_text(12 << 8, text), "xpu");
	assert_string_equal(tensor_device_text(20 << 8 | 3, text), "privateuseone:2");
	assert_string_equal(tensor_device_text(UINT64_MAX, text), "device 72057594037927935:254");
}
