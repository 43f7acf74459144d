/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * report/heap/mappings.c: what is mapped after mmap, munmap and mremap, and after what no program
 * does.
 */
#include "tests/unit/unit.h"

#include <sys/mman.h>

#include "report/heap/mappings.h"

#define MIB (1ull << 20)
#define AT 0x7f0000000000ull

static struct mappings mappings;

static int setup(void **state)
{
	mappings_init(&mappings);
	return 0;
}

static int teardown(void **state)
{
	mappings_release(&mappings);
	return 0;
}

static void map(uint64_t address, uint64_t bytes, uint64_t protection, uint64_t flags)
{
	mappings_map(&mappings, &(struct mapping){ .address = address,
						   .bytes = bytes,
						   .protection = protection,
						   .flags = flags,
						   .caller = 0x1000,
						   .process = 1 });
}

static void map_plain(uint64_t address, uint64_t bytes)
{
	map(address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE);
}

static void move(uint64_t old, uint64_t old_bytes, uint64_t address, uint64_t bytes)
{
	mappings_move(&mappings, &(struct mapping_move){ old, old_bytes, address, bytes, 1 });
}

static uint64_t mapped(enum mapping_kind kind)
{
	return mappings.process[1]->bytes[kind];
}

TEST_BOTH(test_kinds, setup, teardown)
{
	map_plain(AT, 3 * MIB);
	map_plain(AT + 4 * MIB, 1 * MIB);
	map_plain(AT + 6 * MIB, MIB / 4);
	map(AT + 8 * MIB, 5 * MIB, PROT_READ, MAP_SHARED);
	map(AT + 16 * MIB, 7 * MIB, PROT_NONE, MAP_PRIVATE);
	assert_int_equal(mapped(MAPPING_PRIVATE), 3 * MIB);
	assert_int_equal(mapped(MAPPING_ARENA), MIB + MIB / 4);
	assert_int_equal(mapped(MAPPING_SHARED), 5 * MIB);
	assert_int_equal(mapped(MAPPING_RESERVED), 7 * MIB);
	/* a part of what was reserved comes into use */
	map(AT + 17 * MIB, 2 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED);
	assert_int_equal(mapped(MAPPING_RESERVED), 5 * MIB);
	assert_int_equal(mapped(MAPPING_PRIVATE), 5 * MIB);
	mappings_unmap(&mappings, 1, AT, UINT64_MAX - AT);
	for (enum mapping_kind kind = 0; kind < MAPPING_KINDS; kind++)
		assert_int_equal(mapped(kind), 0);
}

TEST_BOTH(test_parts_go, setup, teardown)
{
	map_plain(AT, 10 * MIB);
	map_plain(AT + 10 * MIB, 10 * MIB);
	mappings_unmap(&mappings, 1, AT + 4 * MIB, 2 * MIB);
	assert_int_equal(mapped(MAPPING_PRIVATE), 18 * MIB);
	mappings_unmap(&mappings, 1, AT + 9 * MIB, 2 * MIB);
	assert_int_equal(mapped(MAPPING_PRIVATE), 16 * MIB);
	mappings_unmap(&mappings, 1, AT + 9 * MIB, 2 * MIB);
	mappings_unmap(&mappings, 1, AT - 5 * MIB, 5 * MIB);
	assert_int_equal(mapped(MAPPING_PRIVATE), 16 * MIB);
}

TEST_BOTH(test_mremap, setup, teardown)
{
	map_plain(AT, 2 * MIB);
	move(AT, 2 * MIB, AT + 100 * MIB, 6 * MIB); /* elsewhere, and longer */
	assert_int_equal(mapped(MAPPING_PRIVATE), 6 * MIB);
	mappings_unmap(&mappings, 1, AT, 2 * MIB);
	assert_int_equal(mapped(MAPPING_PRIVATE), 6 * MIB);
	move(AT + 100 * MIB, 6 * MIB, AT + 100 * MIB, 3 * MIB); /* shorter */
	assert_int_equal(mapped(MAPPING_PRIVATE), 3 * MIB);
	map_plain(AT + 200 * MIB, 8 * MIB);
	move(AT + 100 * MIB, 3 * MIB, AT + 202 * MIB, 3 * MIB); /* onto another */
	assert_int_equal(mapped(MAPPING_PRIVATE), 8 * MIB);
	/* a part of one, of two kinds */
	map(AT + 300 * MIB, 2 * MIB, PROT_READ, MAP_SHARED);
	map_plain(AT + 302 * MIB, 2 * MIB);
	move(AT + 301 * MIB, 2 * MIB, AT + 400 * MIB, 2 * MIB);
	assert_int_equal(mapped(MAPPING_SHARED), 2 * MIB);
	assert_int_equal(mapped(MAPPING_PRIVATE), 10 * MIB);
	/* what is not known stays so */
	move(AT + 900 * MIB, 2 * MIB, AT + 910 * MIB, 4 * MIB);
	assert_int_equal(mapped(MAPPING_PRIVATE), 10 * MIB);
}

TEST_BOTH(test_nonsense, setup, teardown)
{
	mappings_unmap(&mappings, 1, AT, MIB); /* of a process that was never seen */
	move(AT, MIB, AT + MIB, MIB);
	map_plain(AT, 0);
	map_plain(UINT64_MAX - 10, 100);
	map_plain(AT, MIB * 2);
	mappings_unmap(&mappings, 1, AT, 0);
	mappings_unmap(&mappings, 1, AT, UINT64_MAX);
	move(AT, 0, AT + MIB, MIB);
	move(AT, 2 * MIB, UINT64_MAX - 5, MIB);
	move(AT, 2 * MIB, AT, 0);
	assert_int_equal(mapped(MAPPING_PRIVATE), 2 * MIB);
	mappings_unmap(&mappings, 7, AT, MIB);
	assert_int_equal(mapped(MAPPING_PRIVATE), 2 * MIB);
	move(AT, UINT64_MAX - AT, AT, UINT64_MAX - AT);
	assert_true(mapped(MAPPING_PRIVATE) >= 2 * MIB);
}

/* More places than any program has: those beyond are not known, and nothing else changes. */
TEST_BOTH(test_rows_are_bounded, setup, teardown)
{
	struct mapping mapping = { .bytes = 4096, .protection = PROT_READ, .process = 1 };

	for (uint64_t i = 0; i < MAPPING_ROWS_MAX + 100; i++) {
		mapping.address = AT + i * 8192;
		mapping.caller = i;
		mappings_map(&mappings, &mapping);
	}
	assert_int_equal(mappings.row_count, MAPPING_ROWS_MAX);
	assert_int_equal(mapped(MAPPING_PRIVATE), MAPPING_ROWS_MAX * 4096ull);
	mapping.address = AT; /* by a place without a row, over one with */
	mappings_map(&mappings, &mapping);
	assert_int_equal(mapped(MAPPING_PRIVATE), (MAPPING_ROWS_MAX - 1) * 4096ull);
}
