/* SPDX-License-Identifier: MIT */
/*
 * Frames, blocks and the schema: what is written is read, what is damaged is refused, what is newer
 * is named and passed over. Best run under the address and undefined behaviour sanitisers.
 */
/* links: format */
#include "tests/unit/unit.h"
#include "collector/format/block.h"
#include "collector/format/codec.h"
#include "collector/format/error.h"
#include "tests/unit/frame_fixture.h"

#define TURNS 12000u

static void check_event(const struct event *event, uint32_t id, const uint64_t *words)
{
	uint32_t count = evt_descriptors[id].field_count;
	bool text = has_text(id);

	assert_int_equal(event->id, id);
	assert_int_equal(event->words, count + text);
	assert_memory_equal(event->value, words, (count - text) * 8);
	if (!text)
		return;
	assert_int_equal(event->value[count], words[count]);
	assert_memory_equal((const void *)(uintptr_t)event->value[count - 1],
			    (const void *)(uintptr_t)words[count - 1], words[count]);
}

TEST_BOTH(every_event_round_trip, fixture_new, fixture_free)
{
	static const char text[70000] = "a text";
	struct fixture *f = *unit_state;

	for (uint32_t id = 1; id < EVT_ID_LIMIT; id++) {
		uint64_t words[EDGES][EVT_WORDS_MAX];
		struct event_block block;
		uint32_t count = evt_descriptors[id].field_count;

		if (!evt_descriptors[id].name)
			continue;
		frame_begin_block(f->writer, 5);
		for (size_t e = 0; e < EDGES; e++) {
			for (uint32_t i = 0; i < count; i++)
				words[e][i] = edges[(e + i) % EDGES];
			if (has_text(id)) {
				words[e][count - 1] = (uint64_t)(uintptr_t)text;
				words[e][count] = e == 0 ? 0 : e == 1 ? sizeof(text) : e;
			}
			assert_int_equal(frame_put(f->writer, id, 96 * e, words[e]), 0);
		}
		block = read_block(f, close_frame(f));
		assert_int_equal(block.stream, 5);
		assert_int_equal(block.count, EDGES);
		for (size_t e = 0; e < EDGES; e++) {
			assert_int_equal(block.event[e].time_ns, 96 * e);
			check_event(&block.event[e], id, words[e]);
		}
	}
}

static uint32_t random_event(uint64_t *seed)
{
	uint32_t id;

	do
		id = 1 + (uint32_t)(next_random(seed) % (EVT_ID_LIMIT - 1));
	while (!evt_descriptors[id].name || evt_is_of_block(id));
	return id;
}

static void random_words(uint64_t *seed, uint32_t id, uint64_t words[EVT_WORDS_MAX])
{
	static const char text[] = "a text";
	uint32_t count = evt_descriptors[id].field_count;

	for (uint32_t i = 0; i < count; i++)
		words[i] = edges[next_random(seed) % EDGES] >> next_random(seed) % 64;
	if (count && evt_descriptors[id].field[count - 1].codec == EVT_CODEC_caller)
		words[count - 1] = next_random(seed) % 1000;
	if (!has_text(id))
		return;
	words[count - 1] = (uint64_t)(uintptr_t)text;
	words[count] = next_random(seed) % sizeof(text);
}

/*
 * Columns are read for many events at once: each gets its own values, however their kinds take
 * turns.
 */
TEST_BOTH(kinds_may_take_turns, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	uint64_t seed = 11, words[EVT_WORDS_MAX];
	struct event_block block;

	frame_begin_block(f->writer, 5);
	for (uint32_t i = 0; i < TURNS; i++) {
		uint32_t id = random_event(&seed);

		random_words(&seed, id, words);
		assert_int_equal(frame_put(f->writer, id, 96 * i, words), 0);
	}
	block = read_block(f, close_frame(f));
	assert_int_equal(block.count, TURNS);
	seed = 11;
	for (uint32_t i = 0; i < TURNS; i++) {
		uint32_t id = random_event(&seed);

		random_words(&seed, id, words);
		assert_int_equal(block.event[i].time_ns, 96 * i);
		check_event(&block.event[i], id, words);
	}
}

/* Units of 32 ns without a sum of errors; the other records are exact, and the order holds. */
TEST_BOTH(heap_times_are_rounded, fixture_new, fixture_free)
{
	static const struct {
		bool heap;
		uint64_t in, out;
	} time[] = { { true, 1001, 1024 },  { true, 1030, 1024 }, { true, 1060, 1056 },
		     { false, 1061, 1061 }, { true, 1092, 1061 }, { true, 1093, 1093 },
		     { false, 1093, 1093 }, { true, 5000, 4997 }, { true, 7, 4997 },
		     { false, 4999, 4999 }, { true, 5031, 5031 } };
	const size_t count = sizeof(time) / sizeof(time[0]);
	struct fixture *f = *unit_state;
	struct event_block block;

	frame_begin_block(f->writer, 1);
	for (size_t i = 0; i < count; i++) {
		if (time[i].heap)
			assert_int_equal(FRAME_PUT(f->writer, time[i].in, free, .ptr = 16), 0);
		else
			assert_int_equal(FRAME_PUT(f->writer, time[i].in, nvtx_pop, 0), 0);
	}
	block = read_block(f, close_frame(f));
	assert_int_equal(block.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(block.event[i].time_ns, time[i].out);
}

TEST_BOTH(heap_times_may_be_huge, fixture_new, fixture_free)
{
	static const uint64_t time[] = { 0, 31, UINT64_MAX - 100, UINT64_MAX - 40, UINT64_MAX };
	struct fixture *f = *unit_state;
	struct event_block block;

	frame_begin_block(f->writer, 1);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(frame_put_born(f->writer, EVT_malloc, time[i], 16, 1, 2), 0);
	block = read_block(f, close_frame(f));
	for (size_t i = 0; i < 5; i++)
		assert_true(time[i] - block.event[i].time_ns < 32);
	frame_begin_block(f->writer, 1);
	assert_int_equal(frame_put_born(f->writer, EVT_malloc, UINT64_MAX, 16, 1, 2), 0);
	block = read_block(f, close_frame(f));
	assert_true(UINT64_MAX - block.event[0].time_ns < 32);
}

TEST_BOTH(time_does_not_fall_within_a_block, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	const uint64_t in[] = { 5, UINT64_MAX - 1, 7, UINT64_MAX },
		       out[] = { 5, in[1], in[1], in[3] };
	struct event_block block;

	frame_begin_block(f->writer, 1);
	for (int i = 0; i < 4; i++)
		assert_int_equal(FRAME_PUT(f->writer, in[i], nvtx_pop, 0), 0);
	block = read_block(f, close_frame(f));
	for (int i = 0; i < 4; i++)
		assert_true(block.event[i].time_ns == out[i]);
}

static void heap_blocks_round_trip(struct fixture *f, uint32_t count, uint32_t blocks)
{
	struct event_block block;
	uint64_t seed = count, ptr, size;

	frame_begin_block(f->writer, 1);
	assert_true(frame_block_room(f->writer) >= count);
	for (uint32_t i = 0; i < count; i++) {
		ptr = random_address(&seed, blocks);
		size = edges[next_random(&seed) % EDGES];
		if (next_random(&seed) % 2)
			assert_int_equal(FRAME_PUT(f->writer, i, free, .ptr = ptr), 0);
		else
			assert_int_equal(
				frame_put_born(f->writer, EVT_malloc, i, ptr, size, size & 0xff),
				0);
	}
	block = read_block(f, close_frame(f));
	assert_int_equal(block.count, count);
	seed = count;
	for (uint32_t i = 0; i < count; i++) {
		ptr = random_address(&seed, blocks);
		size = edges[next_random(&seed) % EDGES];
		assert_true(block.event[i].value[0] == ptr);
		if (next_random(&seed) % 2)
			continue;
		assert_int_equal(block.event[i].id, EVT_malloc);
		assert_true(EVENT_AS(malloc, &block.event[i])->size == size);
		assert_true(EVENT_AS(malloc, &block.event[i])->caller == (size & 0xff));
	}
}

TEST_BOTH(heap_addresses_come_back, fixture_new, fixture_free)
{
	const uint32_t blocks[] = { 1, 2, 100, 5000, 1000000 };

	for (int i = 0; i < 5; i++) {
		heap_blocks_round_trip(*unit_state, 1, blocks[i]);
		heap_blocks_round_trip(*unit_state, 2, blocks[i]);
		heap_blocks_round_trip(*unit_state, BLOCK_RECORDS_MAX, blocks[i]);
	}
}

TEST_BOTH(full_block_refuses_more, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	struct frame_image image;

	frame_begin_block(f->writer, 1);
	assert_int_equal(frame_block_room(f->writer), BLOCK_RECORDS_MAX);
	for (uint32_t i = 0; i < BLOCK_RECORDS_MAX; i++)
		assert_int_equal(FRAME_PUT(f->writer, i, free, .ptr = i), 0);
	assert_int_equal(frame_block_room(f->writer), 0);
	assert_int_equal(FRAME_PUT(f->writer, 0, free, .ptr = 0), EVT_TOO_LARGE);
	image = close_frame(f);
	assert_int_equal(read_block(f, image).count, BLOCK_RECORDS_MAX);
}

TEST_BOTH(full_kind_table_ends_the_frame, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	uint32_t count = 0;
	struct frame_image image;

	do {
		frame_begin_block(f->writer, 1);
		for (; frame_block_room(f->writer); count++)
			assert_int_equal(frame_put_born(f->writer, EVT_malloc, count, count, 1,
							count * 0x9e3779b97f4a7c15ull),
					 0);
		assert_int_equal(frame_end_block(f->writer), 0);
	} while (count < FRAME_KINDS_MAX);
	assert_true(frame_bytes(f->writer) >= FRAME_BYTES_FULL);
	frame_begin_block(f->writer, 1);
	assert_int_equal(frame_block_room(f->writer), 0);
	assert_int_equal(frame_put_born(f->writer, EVT_malloc, 1, 1, 1, 1), EVT_TOO_LARGE);
	image = close_frame(f);
	assert_int_equal(read_anything(f->reader, image.bytes, image.length), EVT_END);
	frame_begin_block(f->writer, 1);
	assert_int_equal(frame_block_room(f->writer), BLOCK_RECORDS_MAX);
}

TEST_BOTH(frame_never_grows_too_large, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	uint64_t seed = 1;
	struct frame_image image;

	for (;;) {
		frame_begin_block(f->writer, 1);
		if (frame_block_room(f->writer) == 0)
			break;
		while (frame_block_room(f->writer)) {
			uint64_t a = next_random(&seed) << 33 ^ next_random(&seed);

			assert_int_equal(frame_put_born(f->writer, EVT_malloc, a, a, ~a, a % 100),
					 0);
		}
		assert_int_equal(frame_end_block(f->writer), 0);
	}
	image = close_frame(f);
	assert_in_range(image.length, FRAME_BYTES_MAX / 2, FRAME_BYTES_MAX);
	assert_int_equal(read_anything(f->reader, image.bytes, image.length), EVT_END);
	for (size_t i = 0; i < image.cut_count; i++)
		assert_in_range(image.cuts[i], i ? image.cuts[i - 1] + 1 : 1, image.length);
}

TEST_BOTH(empty_block_leaves_no_trace, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	struct frame_image image;

	frame_begin_block(f->writer, 1);
	image = close_frame(f);
	assert_int_equal(image.length, FRAME_HEADER_BYTES);
	assert_int_equal(read_anything(f->reader, image.bytes, image.length), EVT_END);
}

TEST_BOTH(truncated_frame_is_refused, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	size_t length;
	uint8_t *bytes = small_frame(f, &length);

	assert_int_equal(read_anything(f->reader, bytes, length), EVT_END);
	for (size_t cut = 0; cut < length; cut++) {
		uint8_t *part = malloc(cut + 1);
		int error;

		memcpy(part + 1, bytes, cut);
		error = read_anything(f->reader, part + 1, cut);
		assert_true(error < 0 && error != EVT_END);
		free(part);
	}
	free(bytes);
}

TEST_BOTH(flipped_bits_do_not_crash, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	size_t length;
	uint8_t *bytes = small_frame(f, &length);
	uint64_t seed = 3;

	for (size_t bit = 0; bit < length * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_true(read_anything(f->reader, bytes, length) < 0);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	for (int i = 0; i < 20000; i++) {
		uint8_t *at = &bytes[next_random(&seed) % length];
		uint8_t old = *at;

		*at = (uint8_t)next_random(&seed);
		assert_true(read_anything(f->reader, bytes, length) < 0);
		if (i % 4)
			*at = old;
	}
	free(bytes);
}

/* --- schema and frames of other versions, put together by hand --- */

static uint8_t *put_text(uint8_t *at, const char *text)
{
	at = put_varint(at, strlen(text));
	memcpy(at, text, strlen(text));
	return at + strlen(text);
}

/* An entry with a byte at its end that only the newer writer understands. */
static uint8_t *put_entry(uint8_t *at, const uint8_t *bytes, size_t length)
{
	at = put_varint(at, length + 1);
	memcpy(at, bytes, length);
	at[length] = 0x77;
	return at + length + 1;
}

static uint8_t *put_field(uint8_t *at, const char *name, uint64_t codec)
{
	uint8_t bytes[100];
	uint8_t *end = put_text(put_varint(put_text(bytes, name), codec), "its meaning");

	return put_entry(at, bytes, (size_t)(end - bytes));
}

static uint8_t *put_event(uint8_t *at, uint32_t id, const char *name, uint32_t fields)
{
	at = put_text(put_varint(at, id), name);
	return put_varint(put_text(put_text(at, "space"), "its meaning"), fields);
}

/*
 * free with one more field, malloc with the caller and the size missing, and an unknown event of
 * the number `newer`.
 */
static size_t other_schema(uint8_t *bytes, uint32_t newer)
{
	uint8_t event[500], *end, *at = put_varint(put_u32(bytes, FRAME_TAG_SCHEMA), 3);

	end = put_field(put_event(event, EVT_free, "free", 2), "more", EVT_CODEC_uint);
	end = put_field(end, "ptr", EVT_CODEC_dies);
	at = put_entry(at, event, (size_t)(end - event));
	end = put_field(put_event(event, EVT_malloc, "malloc", 1), "ptr", EVT_CODEC_born);
	at = put_entry(at, event, (size_t)(end - event));
	end = put_field(put_event(event, newer, "warp", 2), "speed", EVT_CODEC_sint);
	end = put_field(end, "crew", EVT_CODEC_text);
	at = put_entry(at, event, (size_t)(end - event));
	return (size_t)(at - bytes);
}

struct part {
	uint64_t key;
	const char *bytes;
	size_t length;
};
#define PART(key, bytes)                      \
	{                                     \
		key, bytes, sizeof(bytes) - 1 \
	}

/* One record of each of the three, with columns that this version does not know. */
static size_t other_frame(uint8_t *bytes, uint32_t newer)
{
	const struct part part[] = {
		PART(0, "\0\1\2"),
		PART(1, "\12\12\12"),
		PART(2, "\0"),
		PART(3, "\100"),
		PART(4, "\10"),
		PART(50, "\xaa\xbb"),
		PART(64 + 36 * 16, "c"),
		PART(99999, "??"),
		PART(64 + newer * 16, "\1"),
		PART(64 + newer * 16 + 1, "\4kirk"),
	};
	const uint32_t count = sizeof(part) / sizeof(part[0]);
	uint8_t *at = put_u32(put_u32(bytes, FRAME_TAG_DATA), FRAME_HEADER_STACKS_BYTES + 8);

	for (int i = 0; i < 5; i++)
		at = put_u64(at, 1);
	at = put_u64(at, 3);
	at = put_u32(put_u32(at, 3),
		     (uint32_t)(2 + (put_varint(bytes + 200, newer) - (bytes + 200))));
	at = put_u64(at, 0);                  /* no stacks */
	at = put_u64(at, 0x1122334455667788); /* what a newer writer has added to the head */
	at = put_varint(put_varint(put_varint(at, EVT_malloc), EVT_free), newer);
	at = put_varint(put_varint(put_varint(at, 7), 3), count);
	for (uint32_t i = 0; i < count; i++)
		at = put_varint(put_varint(at, part[i].key), part[i].length);
	for (uint32_t i = 0; i < count; i++) {
		memcpy(at, part[i].bytes, part[i].length);
		at += part[i].length;
	}
	return (size_t)(at - bytes);
}

/* `id`: what stands for the unknown event in memory. */
static void read_other_version(uint32_t newer, uint32_t id)
{
	uint8_t bytes[2000];
	struct schema schema;
	struct frame_reader *reader;
	struct frame_info info;
	struct event_block block;

	assert_int_equal(schema_read(&schema, bytes, other_schema(bytes, newer)), 0);
	assert_string_equal(schema.event[EVT_free].field[0].name, "ptr");
	assert_string_equal(schema.event[EVT_free].field[1].name, "more");
	assert_string_equal(schema.event[id].name, "warp");
	assert_int_equal(schema.event[id].number, newer);
	assert_int_equal(schema.event[EVT_malloc].field[2].number, SCHEMA_ABSENT);
	reader = frame_reader_new(&schema);
	schema_release(&schema);
	assert_int_equal(frame_open(reader, bytes, other_frame(bytes, newer), &info), 0);
	assert_int_equal(frame_next_block(reader, &block), 0);
	assert_int_equal(block.count, 3);
	assert_int_equal(EVENT_AS(malloc, &block.event[0])->ptr, 0x200);
	assert_int_equal(EVENT_AS(malloc, &block.event[0])->size, 0);
	assert_int_equal(EVENT_AS(malloc, &block.event[0])->caller, 0);
	assert_int_equal(EVENT_AS(free, &block.event[1])->ptr, 0x200);
	assert_int_equal(block.event[1].words, 2);
	assert_int_equal(block.event[1].value[1], 'c');
	assert_int_equal(block.event[2].id, id);
	assert_true(block.event[2].value[0] == UINT64_MAX);
	assert_int_equal(block.event[2].value[2], 4);
	assert_memory_equal((const void *)(uintptr_t)block.event[2].value[1], "kirk", 4);
	assert_int_equal(frame_next_block(reader, &block), EVT_END);
	frame_reader_free(reader);
}

TEST(other_versions_are_read)
{
	read_other_version(EVT_ID_BLOCKS - 1, EVT_ID_BLOCKS - 1);
	read_other_version(EVT_BLOCK_NUMBERS, evt_known_limit);
	read_other_version(EVT_NUMBER_MAX, evt_known_limit);
}

TEST(numbers_that_no_event_has_are_refused)
{
	static const uint32_t wrong[] = { 0, EVT_ID_BLOCKS, EVT_BLOCK_NUMBERS - 1,
					  EVT_NUMBER_MAX + 1, UINT32_MAX };
	uint8_t bytes[2000];
	struct schema schema;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(schema_read(&schema, bytes, other_schema(bytes, wrong[i])),
				 EVT_CORRUPT);
}

/* A schema of `count` unknown events in blocks. */
static int read_many(uint32_t count, bool twice)
{
	static uint8_t bytes[SCHEMA_BYTES_MAX];
	uint8_t event[500], *end, *at = put_varint(put_u32(bytes, FRAME_TAG_SCHEMA), count);
	struct schema schema;
	int error;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = 1000 * EVT_BLOCK_NUMBERS / 10 + (twice && i ? i - 1 : i);

		end = put_event(event, number, "warp", 0);
		at = put_entry(at, event, (size_t)(end - event));
	}
	error = schema_read(&schema, bytes, (size_t)(at - bytes));
	schema_release(&schema);
	return error;
}

TEST(many_unknown_events)
{
	const uint32_t room = EVT_ID_LIMIT - evt_known_limit;

	assert_int_equal(read_many(room, false), 0);
	assert_int_equal(read_many(room + 1, false), EVT_NEWER);
	assert_int_equal(read_many(2, true), EVT_CORRUPT);
}

/*
 * Any bit of a frame with an event in a block may be wrong: no crash, and no more records than are
 * there.
 */
TEST(damaged_numbers_do_not_crash)
{
	uint8_t bytes[2000], frame[2000];
	size_t length = other_frame(frame, EVT_NUMBER_MAX);
	struct schema schema;
	struct frame_reader *reader;

	assert_int_equal(schema_read(&schema, bytes, other_schema(bytes, EVT_NUMBER_MAX)), 0);
	reader = frame_reader_new(&schema);
	schema_release(&schema);
	for (size_t bit = 0; bit < length * 8; bit++) {
		uint8_t *copy = malloc(length);

		memcpy(copy, frame, length);
		copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_true(read_anything(reader, copy, length) <= 0);
		free(copy);
	}
	for (size_t cut = 0; cut < length; cut++) {
		uint8_t *copy = malloc(cut + 1);

		memcpy(copy + 1, frame, cut);
		assert_true(read_anything(reader, copy + 1, cut) < 0);
		free(copy);
	}
	frame_reader_free(reader);
}

static int read_tensor_schema(uint64_t ptr, uint64_t bytes_codec, struct schema *ret_schema)
{
	uint8_t bytes[500], event[400];
	uint8_t *at = put_varint(put_u32(bytes, FRAME_TAG_SCHEMA), 1);
	uint8_t *end = put_event(event, EVT_tensor_alloc, "tensor_alloc", 3);

	end = put_field(put_field(put_field(end, "ptr", ptr), "bytes", bytes_codec), "device",
			EVT_CODEC_uint);
	at = put_entry(at, event, (size_t)(end - event));
	return schema_read(ret_schema, bytes, (size_t)(at - bytes));
}

/* As version 2 wrote it, and as nobody did. */
TEST(value_may_be_coded_otherwise)
{
	struct schema schema;

	assert_int_equal(read_tensor_schema(EVT_CODEC_born, EVT_CODEC_size, &schema), 0);
	assert_int_equal(schema.event[EVT_tensor_alloc].field[0].codec, EVT_CODEC_born);
	assert_int_equal(schema.event[EVT_tensor_alloc].field[1].codec, EVT_CODEC_size);
	schema_release(&schema);
	assert_int_equal(read_tensor_schema(EVT_CODEC_uint, EVT_CODEC_size, &schema), EVT_CORRUPT);
	assert_int_equal(read_tensor_schema(EVT_CODEC_block, EVT_CODEC_name, &schema), EVT_CORRUPT);
	assert_int_equal(read_tensor_schema(EVT_CODEC_block, EVT_CODEC_text, &schema), EVT_CORRUPT);
}

TEST_BOTH(event_without_schema_is_refused, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	uint8_t bytes[2000];

	assert_int_equal(read_anything(f->reader, bytes, other_frame(bytes, EVT_ID_BLOCKS - 1)),
			 EVT_CORRUPT);
	/* of this number there is no event, whatever the program knows */
	assert_int_equal(read_anything(f->reader, bytes, other_frame(bytes, EVT_NUMBER_MAX)),
			 EVT_CORRUPT);
	assert_int_equal(read_anything(f->reader, bytes, other_frame(bytes, EVT_ID_BLOCKS + 5)),
			 EVT_CORRUPT);
}

TEST(damaged_schema_does_not_crash)
{
	static uint8_t bytes[SCHEMA_BYTES_MAX];
	size_t length = schema_write(bytes, sizeof(bytes));
	struct schema schema;

	/* Each byte of the first events, every seventh of those that are like them. */
	for (size_t cut = 0; cut < length; cut += cut < 1024 ? 1 : 7) {
		uint8_t *part = malloc(cut + 1);

		memcpy(part + 1, bytes, cut);
		assert_true(schema_read(&schema, part + 1, cut) < 0);
		free(part);
	}
	/*
	 * All bits of the first events, one of 53 of those that are like them, each place of a byte
	 * in turn.
	 */
	for (size_t bit = 0; bit < length * 8; bit += bit < 8192 ? 1 : 53) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (schema_read(&schema, bytes, length) == 0)
			schema_release(&schema);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_int_equal(schema_write(bytes, length - 1), 0);
}

/* Takes the last of its two kinds out of the frame's table; what a record says stays. */
static size_t forget_last_kind(uint8_t *bytes, const struct frame_image *image)
{
	size_t kinds = FRAME_HEADER_BYTES, length = image->length - 1;

	memcpy(bytes, image->bytes, kinds + 1);
	memcpy(bytes + kinds + 1, image->bytes + kinds + 2, length - kinds - 1);
	put_u32(bytes + 56, 1);
	put_u32(bytes + 60, 1);
	return length;
}

/* Kinds are those of their own frame, whatever the reader had before. */
TEST_BOTH(kind_of_earlier_frame_is_refused, fixture_new, fixture_free)
{
	static uint8_t bytes[1000];
	struct fixture *f = *unit_state;
	const uint64_t address = 64;
	struct frame_image image;
	struct frame_info info;
	struct event_block block;
	size_t length;

	frame_begin_block(f->writer, 1);
	assert_int_equal(frame_put(f->writer, EVT_free, 1, &address), 0);
	assert_int_equal(frame_put(f->writer, EVT_realloc_free, 2, &address), 0);
	image = close_frame(f);
	assert_in_range(image.length, FRAME_HEADER_BYTES + 2, sizeof(bytes));
	assert_int_equal(image.bytes[56], 2);
	assert_int_equal(image.bytes[60], 2);
	length = forget_last_kind(bytes, &image);
	block = read_block(f, image);
	assert_int_equal(block.count, 2);
	assert_int_equal(frame_open(f->reader, bytes, length, &info), 0);
	assert_int_equal(frame_next_block(f->reader, &block), EVT_CORRUPT);
}
