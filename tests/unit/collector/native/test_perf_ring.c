/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/native/perf_ring.c: records right, cut short and of any bytes; a ring that goes on at
 * its begin.
 */
#include "tests/unit/unit.h"
#include "collector/arch/pages.h"
#include "collector/native/perf_open.h"
#include "collector/native/perf_ring.h"
#include "tests/unit/collector/native/perf_bytes.h"

static struct made_record made;
static struct perf_record record;

static bool read_made(void)
{
	memset(&record, 0, sizeof(record));
	return perf_record_read(made.bytes, made.length, &record);
}

TEST(test_samples)
{
	const uint64_t registers[3] = { 0x7f10, 0x7f00, 0x4000 };
	const uint64_t stack[4] = { 1, 2, 3, 4 };

	made_sample(&made, 77, 10, 11, 1234, registers, stack, sizeof(stack), 24);
	assert_true(read_made());
	assert_int_equal(record.kind, PERF_IS_SAMPLE);
	assert_int_equal(record.id, 77);
	assert_int_equal(record.pid, 10);
	assert_int_equal(record.tid, 11);
	assert_int_equal(record.time_ns, 1234);
	assert_int_equal(record.rbp, 0x7f10);
	assert_int_equal(record.rsp, 0x7f00);
	assert_int_equal(record.rip, 0x4000);
	assert_int_equal(record.stack_bytes, 24);
	assert_memory_equal(record.stack, stack, 24);
	assert_false(record.in_kernel);
	made_end(&made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	assert_true(read_made());
	assert_true(record.in_kernel);
	/* more than there was room for was filled */
	made_sample(&made, 77, 10, 11, 1234, registers, stack, sizeof(stack), 1u << 20);
	assert_true(read_made());
	assert_int_equal(record.stack_bytes, sizeof(stack));
	/* no registers of a user: a thread that ends */
	made_sample(&made, 77, 10, 11, 1234, NULL, stack, 0, 0);
	assert_true(read_made());
	assert_false(record.has_registers);
	/* the stack's room is more than the record */
	made_sample(&made, 77, 10, 11, 1234, registers, stack, sizeof(stack), 24);
	memset(made.bytes + 64 + 8 * ARCH_PERF_HAS_LINK, 0xff, 8);
	assert_false(read_made());
}

TEST(test_others)
{
	made_mapping(&made, 10, 0x1000, 0x2000, 0x3000, 99, "/lib/x.so");
	assert_true(read_made());
	assert_int_equal(record.kind, PERF_IS_MAPPING);
	assert_int_equal(record.start, 0x1000);
	assert_int_equal(record.bytes, 0x2000);
	assert_int_equal(record.offset, 0x3000);
	assert_int_equal(record.inode, 99);
	assert_int_equal(record.major, 8);
	assert_int_equal(record.minor, 1);
	assert_string_equal(record.path, "/lib/x.so");
	assert_int_equal(record.time_ns, 900);
	assert_int_equal(record.id, 7);
	/* its end is before its begin; its name has no end */
	made_mapping(&made, 10, UINT64_MAX, 2, 0, 99, "/lib/x.so");
	assert_false(read_made());
	made_mapping(&made, 10, 0x1000, 2, 0, 99, "/lib/x.so");
	memset(made.bytes + 72, 'x', 64);
	assert_false(read_made());

	made_begin(&made);
	made_halves(&made, 10, 11);
	made_add(&made, "name\0\0\0", 8);
	made_trailer(&made, 10, 11, 5, 7);
	made_end(&made, PERF_RECORD_COMM, 0);
	assert_true(read_made());
	assert_int_equal(record.kind, PERF_IS_NAME);
	assert_string_equal(record.path, "name");
	made_end(&made, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	assert_true(read_made());
	assert_int_equal(record.kind, PERF_IS_EXEC);

	made_begin(&made);
	made_halves(&made, 10, 1);
	made_halves(&made, 12, 1);
	made_word(&made, 5);
	made_trailer(&made, 10, 12, 5, 7);
	made_end(&made, PERF_RECORD_EXIT, 0);
	assert_true(read_made());
	assert_int_equal(record.kind, PERF_IS_END);
	assert_int_equal(record.tid, 12);

	made_begin(&made);
	made_word(&made, 7);
	made_word(&made, 42);
	made_trailer(&made, 10, 12, 5, 7);
	made_end(&made, PERF_RECORD_LOST, 0);
	assert_true(read_made());
	assert_int_equal(record.kind, PERF_IS_LOSS);
	assert_int_equal(record.lost, 42);
	/* one that we do not know is passed over */
	made_end(&made, 1000, 0);
	assert_true(read_made());
	assert_int_equal(record.kind, PERF_IS_OTHER);
}

/* However much is missing, nothing beyond is read: each copy is exactly so large. */
TEST(test_cut_short)
{
	const uint64_t registers[3] = { 1, 2, 3 };
	const uint64_t stack[2] = { 1, 2 };

	for (int which = 0; which < 2; which++) {
		if (which)
			made_mapping(&made, 1, 0x1000, 0x1000, 0, 9, "/a");
		else
			made_sample(&made, 1, 1, 1, 1, registers, stack, sizeof(stack), 16);
		for (uint16_t length = 0; length < made.length; length++) {
			uint8_t *copy = malloc(length ? length : 1);

			memcpy(copy, made.bytes, length);
			assert_false(perf_record_read(copy, length, &record));
			if (length >= 8) {
				memcpy(copy + 6, &length, 2);
				(void)perf_record_read(copy, length, &record);
			}
			free(copy);
		}
	}
}

/* --- the ring --- */

#define RING_BYTES 8192u

#define PAGE_MAX 65536u /* of aarch64 */

static _Alignas(PAGE_MAX) uint8_t memory[PAGE_MAX + RING_BYTES];
static uint64_t page = 4096; /* the kernel's, as tests have it */
static uint8_t copy_room[PERF_RECORD_BYTES_MAX];
static struct perf_ring ring;

static void ring_put(uint64_t head, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		memory[page + (head + i) % RING_BYTES] = ((const uint8_t *)bytes)[i];
	((struct perf_event_mmap_page *)(void *)memory)->data_head = head + length;
}

/* In the place of libc's: the kernel may have pages of 4, 16 and 64 KiB. */
unsigned long getauxval(unsigned long type)
{
	return type == AT_PAGESZ ? page : 0;
}

static uint64_t ring_tail(void)
{
	return ((struct perf_event_mmap_page *)(void *)memory)->data_tail;
}

static void ring_of_page(void)
{
	const uint64_t registers[3] = { 1, 2, 3 };
	uint8_t stack[1024];
	uint64_t head = 0;

	memset(memory, 0, sizeof(memory));
	perf_ring_of_memory(&ring, memory, RING_BYTES, copy_room);
	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (uint8_t)i;
	for (uint64_t n = 1; n < 200; n++) {
		made_sample(&made, n, 1, 1, n, registers, stack, sizeof(stack), sizeof(stack));
		perf_ring_look(&ring);
		assert_false(perf_ring_next(&ring, &record));
		ring_put(head, made.bytes, made.length);
		head += made.length;
		assert_false(perf_ring_next(&ring, &record)); /* not looked at yet */
		perf_ring_look(&ring);
		assert_true(perf_ring_next(&ring, &record));
		assert_int_equal(record.id, n);
		assert_memory_equal(record.stack, stack, sizeof(stack));
		assert_true(perf_ring_next(&ring, &record)); /* it stays there until it is passed */
		assert_int_equal(record.id, n);
		perf_ring_pass(&ring);
		assert_int_equal(ring_tail(), head);
	}
}

TEST(test_ring)
{
	for (page = 4096; page <= PAGE_MAX; page *= 4)
		ring_of_page();
	page = 4096;
}

static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

/* Any bytes, any head: the reading ends, and all that was there is given up. */
TEST(test_ring_of_anything)
{
	uint64_t random = 88172645463325252u;

	for (int round = 0; round < 3000; round++) {
		uint64_t records = 0;

		for (size_t i = page; i < page + RING_BYTES; i += 8) {
			uint64_t word = next_random(&random);

			/* often a header that may be one */
			if (word % 3 == 0)
				word = (word % 16) | (word >> 8 & 0x1f8) << 48;
			memcpy(memory + i, &word, sizeof(word));
		}
		perf_ring_of_memory(&ring, memory, RING_BYTES, copy_room);
		ring.tail = next_random(&random) % 4 ? next_random(&random) & ~7ull
						     : next_random(&random);
		((struct perf_event_mmap_page *)(void *)memory)
			->data_head = ring.tail +
				      next_random(&random) % (RING_BYTES + RING_BYTES / 4);
		perf_ring_look(&ring);
		while (perf_ring_next(&ring, &record)) {
			perf_ring_pass(&ring);
			assert_true(++records <= RING_BYTES / 8);
		}
		assert_int_equal(ring_tail(), ring.limit);
	}
}

TEST(test_cpus)
{
	uint32_t cpu[8];

	assert_int_equal(perf_cpus_of("0-2,5\n", cpu, 8), 4);
	assert_int_equal(cpu[2], 2);
	assert_int_equal(cpu[3], 5);
	assert_int_equal(perf_cpus_of("0-4294967295", cpu, 8), 8);
	assert_int_equal(perf_cpus_of("", cpu, 8), 0);
	assert_int_equal(perf_cpus_of("3-1", cpu, 8), 0);
	assert_int_equal(perf_cpus_of("nonsense", cpu, 8), 0);
}
