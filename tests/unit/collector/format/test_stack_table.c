/* SPDX-License-Identifier: MIT */
/*
 * Stacks in frames of the file: what is written is read, in every frame alone, and damage of the
 * table is refused.
 */
/* links: format */
#include "tests/unit/unit.h"
#include "collector/format/frame_flags.h"
#include "collector/format/stack_table.h"
#include "tests/unit/frame_fixture.h"

#define MANY 100000u

/* A frame of one stack, as it was defined. */
struct defined {
	uint64_t id, address;
	uint32_t parent; /* place of another, 0: none */
	uint32_t flags;
};

/*
 * Random trees: parents anywhere before, so that stacks are about log2(MANY) deep, some in the way
 * of a long chain.
 */
static struct defined *random_stacks(uint64_t seed)
{
	struct defined *d = calloc(MANY + 1, sizeof(*d));

	assert_non_null(d);
	for (uint32_t i = 1; i <= MANY; i++) {
		bool chain = i % 50 < 40 && i > 1;

		d[i].id = (next_random(&seed) << 20 ^ i * 0x9e3779b97f4a7c15u) % (STACK_WORD - 1) +
			  1;
		d[i].parent = chain ? i - 1 : (uint32_t)(next_random(&seed) % i);
		d[i].address = i % 1000 == 0 ? (1ull << 56) - 1
					     : 0x7f0000000000 + next_random(&seed) % 100000 * 5;
		d[i].flags = i % 97 ? 0 : FRAME_IS_EXACT;
	}
	return d;
}

static void check_stack(const struct event_block *block, const struct event *event,
			const struct defined *d, uint32_t at)
{
	uint32_t node = block->stack[event->kind];

	for (; at; at = d[at].parent) {
		assert_true(node && node <= block->nodes);
		assert_int_equal(block->node[node].address, d[at].address);
		assert_int_equal(block->node[node].flags, d[at].flags);
		assert_true(block->node[node].parent < node);
		node = block->node[node].parent;
	}
	assert_int_equal(node, 0);
}

/*
 * All of them, in as many frames as it takes, each of which is read by a reader that has seen no
 * other.
 */
TEST_BOTH(random_stacks_round_trip, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	struct defined *d = random_stacks(5);
	uint32_t frames = 0;

	for (uint32_t i = 1; i <= MANY; i++)
		frame_define_stack(f->writer, d[i].id, d[i].parent ? d[d[i].parent].id : 0,
				   d[i].address, d[i].flags);
	for (uint32_t at = 1; at <= MANY; frames++) {
		struct frame_reader *reader = frame_reader_new(&f->schema);
		uint32_t first = at;
		struct event_block block;
		struct frame_image image;
		struct frame_info info;

		frame_begin_block(f->writer, 1);
		for (; at <= MANY && frame_block_room(f->writer); at++) {
			int error = at % 3 ? frame_put_born(f->writer, EVT_malloc, at, 0x1000 + at,
							    8, STACK_WORD | d[at].id)
					   : frame_put_stack(f->writer, EVT_nvtx_pop, at,
							     &(uint64_t){ 5 }, d[at].id);
			if (error)
				break;
		}
		assert_true(at > first);
		image = close_frame(f);
		assert_int_equal(frame_open(reader, image.bytes, image.length, &info), 0);
		assert_int_equal(frame_next_block(reader, &block), 0);
		assert_int_equal(block.count, at - first);
		for (uint32_t i = 0; i < block.count; i++)
			check_stack(&block, &block.event[i], d, first + i);
		frame_reader_free(reader);
	}
	assert_true(frames > 1);
	free(d);
}

static void define(struct fixture *f, uint64_t id, uint64_t parent, uint64_t address,
		   uint32_t flags)
{
	frame_define_stack(f->writer, id, parent, address, flags);
}

/* Who is asked is the innermost that is no wrapper; where all are, the innermost. */
TEST_BOTH(the_caller_is_no_wrapper, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	struct event_block block;

	define(f, 1, 0, 0x10, FRAME_IS_WRAPPER);
	define(f, 2, 1, 0x20, 0);
	define(f, 3, 2, 0x30, FRAME_IS_WRAPPER);
	define(f, 4, 3, 0x40, FRAME_IS_WRAPPER);
	frame_begin_block(f->writer, 1);
	for (uint64_t id = 1; id <= 4; id++)
		frame_put_born(f->writer, EVT_malloc, id, 16, 16, STACK_WORD | id);
	frame_put_born(f->writer, EVT_malloc, 5, 16, 16, 0x99);
	block = read_block(f, close_frame(f));
	assert_int_equal(EVENT_AS(malloc, &block.event[0])->caller, 0x10);
	assert_int_equal(EVENT_AS(malloc, &block.event[1])->caller, 0x20);
	assert_int_equal(EVENT_AS(malloc, &block.event[2])->caller, 0x20);
	assert_int_equal(EVENT_AS(malloc, &block.event[3])->caller, 0x20);
	assert_int_equal(EVENT_AS(malloc, &block.event[4])->caller, 0x99);
	assert_int_equal(block.stack[block.event[4].kind], 0);
	assert_int_equal(block.nodes, 4);
}

/* Nothing of stacks is in such a frame, whatever is defined. */
TEST_BOTH(a_frame_without_stacks_is_as_before, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	struct frame_image image;
	struct event_block block;
	uint8_t plain[500];
	size_t length;

	for (int round = 0; round < 2; round++) {
		frame_begin_block(f->writer, 1);
		frame_put_born(f->writer, EVT_malloc, 5, 16, 16, 0x99);
		image = close_frame(f);
		assert_int_equal(image.bytes[4], FRAME_HEADER_BYTES);
		block = read_block(f, image);
		assert_null(block.node);
		assert_null(block.stack);
		assert_true(image.length < sizeof(plain));
		if (round == 0)
			memcpy(plain, image.bytes, length = image.length);
		define(f, 1, 0, 0x10, 0);
	}
	assert_int_equal(image.length, length);
	assert_memory_equal(image.bytes, plain, length);
	/* nor where what was named is not known */
	frame_begin_block(f->writer, 1);
	frame_put_born(f->writer, EVT_malloc, 5, 16, 16, STACK_WORD | 7);
	assert_true(frame_has_open_stacks(f->writer));
	frame_end_block(f->writer);
	assert_int_equal(frame_settle_stacks(f->writer).cuts, 1);
	assert_false(frame_has_open_stacks(f->writer));
	block = read_block(f, close_frame(f));
	assert_null(block.node);
	assert_int_equal(EVENT_AS(malloc, &block.event[0])->caller, 0);
}

/* Those who do not want stacks are not given any, and see the same events. */
TEST_BOTH(stacks_are_passed_over, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	struct frame_wants wants = { .heap = true };
	struct event_block block;
	struct frame_image image;
	struct frame_info info;

	wants.event[EVT_nvtx_pop] = true;
	define(f, 1, 0, 0x10, 0);
	define(f, 2, 1, 0x20, 0);
	frame_begin_block(f->writer, 1);
	frame_put_stack(f->writer, EVT_nvtx_pop, 1, &(uint64_t){ 5 }, 1);
	frame_put_born(f->writer, EVT_malloc, 2, 16, 16, STACK_WORD | 2);
	image = close_frame(f);
	for (int wanted = 0; wanted < 2; wanted++) {
		wants.stacks = wanted;
		frame_reader_want(f->reader, &wants);
		assert_int_equal(frame_open(f->reader, image.bytes, image.length, &info), 0);
		assert_int_equal(frame_next_block(f->reader, &block), 0);
		assert_int_equal(block.count, 1);
		assert_int_equal(block.heap_count, 1);
		assert_int_equal(block.heap_site[block.heap[0].site].caller, 0x20);
		assert_int_equal(block.heap_site[block.heap[0].site].stack, wanted ? 2 : 0);
		assert_int_equal(block.nodes, wanted ? 2 : 0);
		if (wanted)
			assert_int_equal(block.stack[block.event[0].kind], 1);
		else
			assert_null(block.stack);
	}
}

/* A frame of three nodes in `bytes`; where its stack table begins. */
static uint8_t *three_nodes(struct fixture *f, uint8_t *bytes, size_t *ret_length)
{
	struct frame_image image;
	uint32_t kind_bytes;

	define(f, 1, 0, 0x10, 0);
	define(f, 2, 1, 0x20, 0);
	define(f, 3, 1, 0x30, 0);
	frame_begin_block(f->writer, 1);
	frame_put_born(f->writer, EVT_malloc, 1, 16, 16, STACK_WORD | 2);
	frame_put_born(f->writer, EVT_malloc, 2, 16, 16, STACK_WORD | 3);
	image = close_frame(f);
	memcpy(bytes, image.bytes, image.length);
	*ret_length = image.length;
	memcpy(&kind_bytes, bytes + 60, sizeof(kind_bytes));
	return bytes + FRAME_HEADER_STACKS_BYTES + kind_bytes;
}

TEST_BOTH(damaged_tables_are_refused, fixture_new, fixture_free)
{
	static const struct {
		/*
		 * in the table: parents at 0, addresses at 3, flags at 6; -1: the last kind's node
		 */
		int at;
		uint8_t value;
	} damage[] = {
		{ 0, 0 }, { 0, 2 },    { 1, 0 },    { 1, 3 },
		{ 2, 4 }, { 2, 0x80 }, { 8, 0x80 }, { -1, 4 },
	};
	struct fixture *f = *unit_state;
	uint8_t bytes[500], good[500];
	size_t length;
	uint8_t *table = three_nodes(f, bytes, &length);

	memcpy(good, bytes, length);
	assert_int_equal(read_anything(f->reader, bytes, length), EVT_END);
	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		memcpy(bytes, good, length);
		table[damage[i].at] = damage[i].value;
		assert_int_equal(read_anything(f->reader, bytes, length), EVT_CORRUPT);
	}
	memcpy(bytes, good, length);
	put_u32(bytes + 64, 4); /* more nodes than there are bytes for */
	assert_int_equal(read_anything(f->reader, bytes, length), EVT_CORRUPT);
	put_u32(bytes + 64, FRAME_NODES_MAX + 1);
	assert_int_equal(read_anything(f->reader, bytes, length), EVT_CORRUPT);
	put_u32(bytes + 64, 0);
	assert_int_equal(read_anything(f->reader, bytes, length), EVT_CORRUPT);
	put_u32(put_u32(bytes + 64, 2), 9); /* and fewer */
	assert_int_equal(read_anything(f->reader, bytes, length), EVT_CORRUPT);
	put_u32(put_u32(bytes + 64, 3), UINT32_MAX);
	assert_int_equal(read_anything(f->reader, bytes, length), EVT_TRUNCATED);
}

/* Each byte changed and each length cut, with and without stacks wanted. */
TEST_BOTH(no_damage_crashes, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	static const struct frame_wants heap = { .heap = true, .stacks = true };
	uint8_t bytes[500];
	size_t length;

	three_nodes(f, bytes, &length);
	for (int wanted = 0; wanted < 2; wanted++) {
		frame_reader_want(f->reader, wanted ? NULL : &heap);
		for (size_t i = 0; i < length; i++) {
			uint8_t *copy = malloc(length), before = bytes[i];

			for (int bit = 0; bit < 8; bit++) {
				memcpy(copy, bytes, length);
				copy[i] = before ^ (uint8_t)(1 << bit);
				(void)read_anything(f->reader, copy, length);
			}
			free(copy);
			copy = malloc(i + 1);
			memcpy(copy, bytes, i);
			assert_int_not_equal(read_anything(f->reader, copy, i), EVT_END);
			free(copy);
		}
	}
}

/*
 * More frames than the table holds: who names one that found no room has none, and what is known
 * stays.
 */
TEST_BOTH(the_table_is_bounded, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	struct event_block block;

	for (uint64_t id = 1; id <= STACK_DEFINITIONS_MAX + 10; id++)
		define(f, id, 0, 0x1000 + id, 0);
	frame_begin_block(f->writer, 1);
	frame_put_born(f->writer, EVT_malloc, 1, 16, 16, STACK_WORD | 5);
	frame_put_born(f->writer, EVT_malloc, 1, 16, 16, STACK_WORD | (STACK_DEFINITIONS_MAX + 5));
	frame_end_block(f->writer);
	assert_int_equal(frame_settle_stacks(f->writer).cuts, 1);
	block = read_block(f, close_frame(f));
	assert_int_equal(block.nodes, 1);
	assert_int_equal(block.node[1].address, 0x1005);
}

/* Ids that all want the same slot. */
TEST_BOTH(ids_may_be_chosen_to_collide, fixture_new, fixture_free)
{
	const uint64_t inverse = 0xf1de83e19937733du; /* of the hash's factor, modulo 2^64 */
	struct fixture *f = *unit_state;
	struct frame_stack_losses losses;
	uint32_t put = 0;

	assert_true(0x9e3779b97f4a7c15u * inverse == 1);
	frame_begin_block(f->writer, 1);
	for (uint64_t i = 1; put < 5000; i++) {
		uint64_t id = i * inverse;

		if (!id || id >> STACK_ID_BITS)
			continue;
		define(f, id, 0, id & 0xffff, 0);
		frame_put_born(f->writer, EVT_malloc, 1, 16, 16, STACK_WORD | id);
		put++;
	}
	frame_end_block(f->writer);
	losses = frame_settle_stacks(f->writer);
	assert_true(losses.cuts > 0 && losses.cuts < 5000);
	assert_int_equal(losses.clashes, 0);
	assert_int_equal(read_block(f, close_frame(f)).count, 5000);
}

/*
 * What is defined again stays, with those that called it; the rest is forgotten, and may come
 * again.
 */
TEST(ages)
{
	struct stack_table table = { .limit = 1000 };
	struct defined *d = random_stacks(9);
	uint32_t node;

	for (uint32_t i = 1; i <= 1000; i++)
		stack_table_define(&table, d[i].id, d[i].parent ? d[d[i].parent].id : 0,
				   d[i].address, d[i].flags);
	assert_int_equal(stack_table_count(&table), 1000);
	stack_table_define(&table, d[1001].id, 0, 1, 0);
	assert_int_equal(table.refused, 1);
	stack_table_define(&table, d[500].id, d[d[500].parent].id, d[500].address, d[500].flags);
	assert_int_equal(table.refused, 1); /* it is there */
	stack_table_age(&table);
	assert_int_equal(table.refused, 0);
	for (uint32_t i = 2; i <= 1000; i += 100)
		stack_table_define(&table, d[i].id, d[i].parent ? d[d[i].parent].id : 0,
				   d[i].address, d[i].flags);
	assert_in_range(stack_table_forget(&table), 10, 500);
	stack_table_reset(&table);
	for (uint32_t i = 1; i <= 1000; i++) {
		bool again = i % 100 == 2;
		enum stack_node_result found = stack_table_node(&table, d[i].id, false, &node);

		if (!again)
			continue;
		assert_int_equal(found, STACK_FOUND);
		for (uint32_t at = i; at; at = d[at].parent, node = table.node[node].parent)
			assert_int_equal(table.node[node].address, d[at].address);
		assert_int_equal(node, 0);
	}
	for (uint32_t age = 0; age < 600; age++) /* its number begins anew */
		stack_table_age(&table);
	stack_table_define(&table, d[7].id, d[d[7].parent].id, d[7].address, d[7].flags);
	assert_true(stack_table_forget(&table) < 60);
	stack_table_reset(&table);
	assert_int_not_equal(stack_table_node(&table, d[999].id, false, &node), STACK_FOUND);
	assert_int_equal(table.cuts, 0);
	stack_table_release(&table);
	free(d);
}
