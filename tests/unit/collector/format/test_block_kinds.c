/* SPDX-License-Identifier: MIT */
/*
 * Which records of a block are read, and how many there are of each event: against one record after
 * the other, for each of the ways that processors allow.
 */
/* links: format */
#include "tests/unit/unit.h"
#include "collector/format/block_kinds.h"
#include "collector/format/error.h"
#include "collector/arch/lanes.h"
#include "collector/format/kinds_wide.h"

static struct decoder decoder;
static struct event_plan plan[EVT_ID_LIMIT];
static uint16_t number[BLOCK_RECORDS_MAX];

static uint32_t pick(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

/* Kinds of so many events, of which one in `rare` is read, and a block of these. */
static void decoder_fill(uint32_t ids, uint32_t rare, uint32_t count, uint64_t seed)
{
	uint32_t kinds = ids * 3;

	for (uint32_t id = 1; id <= ids; id++)
		plan[id] = (struct event_plan){ .shape = pick(&seed, rare) ? PLAN_PASS : PLAN_WALK,
						.is_heap = pick(&seed, 2) };
	decoder_forget_kinds(&decoder, decoder.kind_count);
	for (uint32_t i = 0; i < kinds; i++)
		decoder.kind[i] = (struct decoder_kind){ .id = (uint16_t)(1 + pick(&seed, ids)) };
	decoder.kind_count = kinds;
	decoder.plan = plan;
	kinds_plan(&decoder);
	decoder.numbers.value = number;
	decoder.count = count;
	for (uint32_t i = 0; i < count; i++)
		number[i] = (uint16_t)pick(&seed, kinds);
}

static void check_records(bool has_units)
{
	uint32_t records[EVT_ID_LIMIT] = { 0 }, visited = 0, heap = 0;

	for (uint32_t i = 0; i < decoder.count; i++) {
		uint32_t id = decoder.kind[number[i]].id;

		records[id]++;
		heap += has_units && plan[id].is_heap;
		if (plan[id].shape <= PLAN_PASS)
			continue;
		assert_true(visited < decoder.visited_count);
		assert_int_equal(decoder.visited[visited], i);
		assert_int_equal(decoder.visited_heap[visited], heap);
		visited++;
	}
	assert_int_equal(decoder.visited_count, visited);
	assert_int_equal(decoder.heap_records, heap);
	assert_memory_equal(decoder.records_of, records, sizeof(records));
}

static void check_block(void)
{
	static const uint8_t units;

	for (int has_units = 0; has_units < 2; has_units++) {
		decoder.column[COLUMN_HEAP_TIME].at = has_units ? &units : NULL;
		assert_int_equal(kinds_list(&decoder), 0);
		check_records(has_units);
	}
}

/* The widest way of the processor, the next one, and that of any. */
static void for_each_way(void (*check)(void))
{
	for (int way = 0; way < 3; way++) {
		decoder.has_wide_kinds = way == 0 && kinds_wide_is_usable();
		decoder.lanes.usable = way < 2 && arch_lanes_are_usable();
		check();
	}
}

TEST(records_are_listed_and_counted)
{
	static const uint32_t counts[] = {
		1, 15, 16, 17, 63, 64, 65, 1000, 20000, BLOCK_RECORDS_MAX
	};
	static const uint32_t ids[] = { 1, 2, 20, 61, 62, 63, EVT_ID_LIMIT - 1 };

	for (uint32_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		for (uint32_t j = 0; j < sizeof(ids) / sizeof(ids[0]); j++) {
			for (uint32_t rare = 1; rare <= 8; rare *= 2) {
				decoder_fill(ids[j], rare, counts[i], i * 1000 + j * 10 + rare);
				for_each_way(check_block);
			}
		}
	}
}

static void check_refused(void)
{
	assert_int_equal(kinds_list(&decoder), EVT_CORRUPT);
}

/* A number that is none of the frame's kinds, at any place of the block. */
TEST(unknown_kinds_are_refused)
{
	for (uint32_t at = 0; at < 100; at++) {
		decoder_fill(at % 2 ? 5 : 100, 2, 100, at);
		number[at] = (uint16_t)(at % 3 ? decoder.kind_count : UINT16_MAX);
		for_each_way(check_refused);
	}
}
