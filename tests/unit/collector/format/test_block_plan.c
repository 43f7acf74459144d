/* SPDX-License-Identifier: MIT */
/*
 * What is read of a frame by who does not want all of it: the same values as by who does, nothing
 * of the rest, and damage is refused where it is read.
 */
/* links: format */
#include "tests/unit/unit.h"
#include "tests/unit/frame_fixture.h"

/* The same of a frame whose block has been ended; some of its records are no events. */
static struct event_block read_records(struct fixture *f, uint32_t records)
{
	struct frame_image image;
	struct frame_info info;
	struct event_block block;

	assert_int_equal(frame_close(f->writer, (struct frame_info){ .sequence = 9 }, &image), 0);
	assert_int_equal(frame_open(f->reader, image.bytes, image.length, &info), 0);
	assert_int_equal(frame_next_block(f->reader, &block), 0);
	assert_int_equal(block.records, records);
	assert_int_equal(info.records, records);
	return block;
}

#define FEW_IDS 60u /* a frame of no other ids tells all of them apart by their classes */

/* One of the events whose ids are below `ids`, with a random text or numbers. */
static void put_random(struct fixture *f, uint64_t *seed, uint64_t time_ns, uint32_t ids)
{
	static const char text[] = "some text of a name";
	uint64_t words[EVT_WORDS_MAX];
	uint32_t id, count;

	do
		id = next_random(seed) % 3 ? EVT_malloc + (uint32_t)(next_random(seed) % 7)
					   : (uint32_t)(next_random(seed) % ids);
	while (!evt_descriptors[id].name);
	count = evt_descriptors[id].field_count;
	for (uint32_t i = 0; i < count; i++)
		words[i] = next_random(seed) % 2 ? edges[next_random(seed) % EDGES]
						 : random_address(seed, 50);
	if (has_text(id)) {
		words[count - 1] = (uint64_t)(uintptr_t)text;
		words[count] = next_random(seed) % sizeof(text);
	}
	if (count && evt_descriptors[id].field[count - 1].codec == EVT_CODEC_caller)
		words[count - 1] = next_random(seed) % 9000;
	assert_int_equal(frame_put(f->writer, id, time_ns, words), 0);
}

static struct frame_image random_frame(struct fixture *f, uint64_t seed, uint32_t count)
{
	uint32_t ids = seed % 2 ? FEW_IDS : EVT_ID_LIMIT;

	frame_begin_block(f->writer, 3);
	for (uint32_t i = 0; i < count; i++)
		put_random(f, &seed, 1000 + i * (i % 50 ? 90 : 90000), ids);
	return close_frame(f);
}

static void random_wants(struct frame_wants *wants, uint64_t seed)
{
	*wants = (struct frame_wants){ 0 };
	for (uint32_t id = 0; id < EVT_ID_LIMIT; id++) {
		wants->event[id] = next_random(&seed) % 2;
		wants->fields[id] = next_random(&seed) % 3 ? (uint32_t)next_random(&seed)
							   : UINT32_MAX;
		wants->sum[id] = next_random(&seed) % 4 == 0;
	}
}

static bool is_system(uint32_t id)
{
	return evt_descriptors[id].family == EVT_FAMILY_system;
}

/* The words of the fields that are wanted are those of the whole event, the others 0. */
static void check_wanted(const struct event *part, const struct event *whole, uint32_t fields)
{
	const struct evt_descriptor *event = &evt_descriptors[part->id];
	unsigned int word = 0;

	assert_int_equal(part->words, whole->words);
	for (uint32_t i = 0; i < event->field_count; i++) {
		bool wanted = is_system(part->id) || fields & 1u << i;
		unsigned int words = event->field[i].codec == EVT_CODEC_text ? 2 : 1;

		for (; words; words--, word++)
			assert_true(part->value[word] == (wanted ? whole->value[word] : 0));
	}
}

struct expected {
	uint32_t passed[EVT_ID_LIMIT], events;
	struct block_sum sum;
};

/* Goes through all records: the wanted ones are events of `part`, the others are counted. */
static void check_part(const struct event_block *part, const struct event_block *whole,
		       const struct frame_wants *wants)
{
	struct expected expected = { 0 };

	assert_int_equal(part->records, whole->count);
	assert_true(part->first_ns == whole->first_ns && part->last_ns == whole->last_ns);
	for (uint32_t i = 0; i < whole->count; i++) {
		const struct event *event = &whole->event[i];

		if (is_system(event->id) || wants->event[event->id]) {
			const struct event *same = &part->event[expected.events];

			assert_true(expected.events < part->count);
			assert_int_equal(same->id, event->id);
			assert_true(same->time_ns == event->time_ns);
			check_wanted(same, event, wants->fields[event->id]);
			if (part->sum)
				assert_memory_equal(&part->sum[expected.events], &expected.sum,
						    sizeof(expected.sum));
			expected.events++;
			continue;
		}
		expected.passed[event->id]++;
		if (!wants->sum[event->id])
			continue;
		expected.sum.events++;
		for (uint32_t j = 0; j < evt_descriptors[event->id].field_count; j++)
			if (evt_descriptors[event->id].field[j].codec == EVT_CODEC_size)
				expected.sum.bytes += event->value[j];
	}
	assert_int_equal(part->count, expected.events);
	if (part->passed)
		assert_memory_equal(part->passed, expected.passed, sizeof(expected.passed));
	else
		assert_int_equal(part->records, part->count);
	if (part->sum)
		assert_memory_equal(&part->sum[part->count], &expected.sum, sizeof(expected.sum));
}

TEST_BOTH(what_is_wanted_is_what_it_was, fixture_new, fixture_free)
{
	const uint32_t counts[] = { 1, 15, 16, 17, 40, 1000, 20000 };
	struct fixture *f = *unit_state;
	struct frame_reader *other = frame_reader_new(&f->schema);
	struct frame_wants wants;
	struct frame_info info;
	struct event_block whole, part;

	assert_non_null(other);
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct frame_image image = random_frame(f, seed, counts[seed % 7]);

		whole = read_block(f, image);
		random_wants(&wants, seed * 77);
		frame_reader_want(other, &wants);
		assert_int_equal(frame_open(other, image.bytes, image.length, &info), 0);
		assert_int_equal(frame_next_block(other, &part), 0);
		check_part(&part, &whole, &wants);
		assert_int_equal(frame_next_block(other, &part), EVT_END);
	}
	frame_reader_free(other);
}

/*
 * What one has decoded stays what it was while the other decodes another frame, with other wants.
 */
TEST_BOTH(readers_share_a_scratch, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	struct frame_reader *one = frame_reader_new(&f->schema),
			    *other = frame_reader_new(&f->schema);
	struct frame_scratch *scratch = frame_scratch_new();
	struct frame_wants wants, all = { 0 };
	struct event_block whole, kept, part;
	struct frame_info info;

	assert_true(one && other && scratch);
	memset(all.event, true, sizeof(all.event));
	memset(all.fields, 0xff, sizeof(all.fields));
	frame_reader_share(one, scratch);
	frame_reader_share(other, scratch);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct frame_image image = random_frame(f, seed, 20 + (uint32_t)seed * 300);
		uint8_t *bytes = malloc(image.length);
		size_t length = image.length;

		assert_non_null(bytes);
		memcpy(bytes, image.bytes, length);
		assert_int_equal(frame_open(one, bytes, length, &info), 0);
		assert_int_equal(frame_next_block(one, &kept), 0);
		image = random_frame(f, seed + 900, 4000 - (uint32_t)seed * 150);
		random_wants(&wants, seed);
		frame_reader_want(other, &wants);
		whole = read_block(f, image);
		assert_int_equal(frame_open(other, image.bytes, image.length, &info), 0);
		assert_int_equal(frame_next_block(other, &part), 0);
		check_part(&part, &whole, &wants);
		assert_int_equal(frame_open(f->reader, bytes, length, &info), 0);
		assert_int_equal(frame_next_block(f->reader, &whole), 0);
		check_part(&kept, &whole, &all);
		free(bytes);
	}
	frame_reader_free(one);
	frame_reader_free(other);
	frame_scratch_free(scratch);
}

/* What would be added up becomes events in a frame that holds one of those that ask for it. */
TEST_BOTH(sums_give_way_to_events, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	struct frame_wants wants = { 0 };
	struct event_block block;

	wants.sum[EVT_malloc] = true;
	wants.fields[EVT_malloc] = 1u << 1;
	wants.exact[EVT_nvtx_end] = true;
	frame_reader_want(f->reader, &wants);
	for (uint32_t with = 0; with < 2; with++) {
		frame_begin_block(f->writer, 1);
		frame_put_born(f->writer, EVT_malloc, 1, 16, 100, 7);
		frame_put_born(f->writer, EVT_malloc, 2, 32, 50, 7);
		if (with)
			FRAME_PUT(f->writer, 3, nvtx_end, .range = 1);
		assert_int_equal(frame_end_block(f->writer), 0);
		block = read_records(f, 2 + with);
		assert_int_equal(block.count, with ? 2 : 0);
		assert_int_equal(block.sum[block.count].events, with ? 0 : 2);
		assert_int_equal(block.sum[block.count].bytes, with ? 0 : 150);
		assert_true(!with || EVENT_AS(malloc, block.event)->size == 100);
		assert_true(!with || EVENT_AS(malloc, block.event)->caller == 0);
	}
}

/* The address was given back before, and is given back again, by this thread and in this block. */
TEST_BOTH(brief_blocks_are_told, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	struct event_block block;
	uint64_t at = 0;

	frame_begin_block(f->writer, 1);
	for (int i = 0; i < 3; i++) { /* 0 1, 2 3, 4 5 */
		frame_put_born(f->writer, EVT_malloc, at++, 0x100, 8, 1);
		FRAME_PUT(f->writer, at++, free, .ptr = 0x100);
	}
	frame_put_born(f->writer, EVT_malloc, at++, 0x100, 8, 1); /* 6: stays */
	frame_put_born(f->writer, EVT_malloc, at++, 0x100, 8, 1); /* 7: its free was not recorded */
	FRAME_PUT(f->writer, at++, free, .ptr = 0x100);
	block = read_block(f, close_frame(f));
	assert_false(event_is_brief(&block.event[0])); /* nobody gave the address back before */
	assert_true(event_is_brief(&block.event[2]));
	assert_true(event_is_brief(&block.event[4]));
	assert_false(event_is_brief(&block.event[6]));
	assert_false(event_is_brief(&block.event[7]));
}

/* Tensors have columns of their own: the heap's are not gone through for them. */
TEST_BOTH(tensors_are_read_without_the_heap, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	struct frame_wants wants = { 0 };
	struct event_block block;

	wants.event[EVT_tensor_alloc] = wants.event[EVT_tensor_free] = true;
	wants.fields[EVT_tensor_alloc] = wants.fields[EVT_tensor_free] = UINT32_MAX;
	frame_reader_want(f->reader, &wants);
	frame_begin_block(f->writer, 1);
	frame_put_born(f->writer, EVT_malloc, 64, 0x1000, 100, 7);
	FRAME_PUT(f->writer, 128, tensor_alloc, .ptr = 0x1000, .bytes = 90);
	FRAME_PUT(f->writer, 192, tensor_free, .ptr = 0x1000);
	FRAME_PUT(f->writer, 256, free, .ptr = 0x1000);
	assert_int_equal(frame_end_block(f->writer), 0);
	block = read_records(f, 4);
	assert_int_equal(block.count, 2);
	assert_int_equal(block.event[0].time_ns, 128);
	assert_int_equal(EVENT_AS(tensor_alloc, &block.event[0])->ptr, 0x1000);
	assert_int_equal(EVENT_AS(tensor_alloc, &block.event[0])->bytes, 90);
	assert_int_equal(block.event[1].time_ns, 192);
	assert_int_equal(EVENT_AS(tensor_free, &block.event[1])->ptr, 0x1000);
}

/* A block of one free whose code names a birth that there is none of. */
static void damage_code(struct fixture *f, bool is_passed)
{
	struct frame_image image;
	uint8_t *bytes;

	frame_begin_block(f->writer, 1);
	frame_put_born(f->writer, EVT_malloc, 1, 0x100, 1, 1);
	FRAME_PUT(f->writer, 2, free, .ptr = 0x100);
	image = close_frame(f);
	bytes = malloc(image.length);
	assert_non_null(bytes);
	memcpy(bytes, image.bytes, image.length);
	/*
	 * the last columns: 1 byte of DIES, a code of the latest birth, 1 of SIZE, 2 of HEAP_TIME
	 */
	assert_int_equal(bytes[image.length - 4], 8);
	bytes[image.length - 4] = 9;
	assert_int_equal(read_anything(f->reader, bytes, image.length),
			 is_passed ? EVT_END : EVT_CORRUPT);
	free(bytes);
}

/* Whatever is passed over, damage in what is read is refused, and nothing crashes. */
TEST_BOTH(flipped_bits_do_not_crash_who_wants_little, fixture_new, fixture_free)
{
	struct fixture *f = *unit_state;
	size_t length;
	uint8_t *bytes = small_frame(f, &length);
	struct frame_wants wants;

	for (uint64_t seed = 1; seed < 20; seed++) {
		random_wants(&wants, seed);
		wants.heap = seed % 2;
		frame_reader_want(f->reader, &wants);
		assert_int_equal(read_anything(f->reader, bytes, length), EVT_END);
		for (size_t bit = 0; bit < length * 8; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_true(read_anything(f->reader, bytes, length) < 0);
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		assert_true(read_anything(f->reader, bytes, length - 1) < 0);
	}
	/* a code that names no birth: seen by who reads addresses, and by nobody else */
	wants = (struct frame_wants){ .sum = { [EVT_malloc] = true } };
	frame_reader_want(f->reader, &wants);
	damage_code(f, true);
	wants.event[EVT_free] = true;
	wants.fields[EVT_free] = 1;
	frame_reader_want(f->reader, &wants);
	damage_code(f, false);
	free(bytes);
}
