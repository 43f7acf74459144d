/* SPDX-License-Identifier: MIT */
/* links: collector */
/*
 * collector/drain/drain.c, streams.c, names.c, epoch.c: words in rings become exactly these events.
 */
#include "tests/unit/unit.h"
#include "tests/unit/collector_fixture.h"

#include "collector/turn/epoch.h"

TEST_BOTH(heap_records_arrive_exactly, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);
	const struct event *e;

	fixture_put_malloc(&f, ring, 0x7f0000001000, 0x12345678, 0x401122);
	fixture_put(
		&f, ring,
		(uint64_t[]){ record_word(fixture_ticks(&f), EVT_calloc), ~0ull, 1ull << 40, 5 },
		4);
	fixture_put_free(&f, ring, 0x7f0000001000);
	finish();
	e = content_find(&content, EVT_malloc, 0);
	assert_non_null(e);
	assert_int_equal(EVENT_AS(malloc, e)->ptr, 0x7f0000001000);
	assert_int_equal(EVENT_AS(malloc, e)->size, 0x12345678);
	assert_int_equal(EVENT_AS(malloc, e)->caller, 0x401122);
	assert_int_equal(e->stream, 1);
	e = content_find(&content, EVT_calloc, 0);
	assert_non_null(e);
	assert_true(EVENT_AS(calloc, e)->ptr == ~0ull);
	assert_true(EVENT_AS(calloc, e)->size == 1ull << 40);
	e = content_find(&content, EVT_free, 0);
	assert_non_null(e);
	assert_int_equal(EVENT_AS(free, e)->ptr, 0x7f0000001000);
	e = content_find(&content, EVT_thread, 0);
	assert_int_equal(EVENT_AS(thread, e)->tid, 77);
	assert_int_equal(EVENT_AS(thread, e)->process, 1);
	assert_int_equal(content.end.records, content.count);
}

/* Several times round the ring, with records of 2 and 3 words: pads of every length. */
TEST_BOTH(ring_goes_round_without_loss, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);
	uint64_t words, puts = 0;

	fixture_words(&f, ring, &words);
	for (uint64_t round = 0; round < 4 * words / 5; round++) {
		fixture_put_malloc(&f, ring, 0x1000 + puts * 16, puts, 0x401122 + puts % 7);
		fixture_put_free(&f, ring, 0x1000 + puts * 16);
		puts++;
		if (atomic_load(&ring->head) - atomic_load(&ring->tail) > words / 2)
			collector_turn(&c);
	}
	finish();
	assert_int_equal(content_count(&content, EVT_malloc), puts);
	assert_int_equal(content_count(&content, EVT_free), puts);
	assert_int_equal(content_count(&content, EVT_lost), 0);
	for (size_t i = 0, at = 0; i < content.count; i++) {
		if (content.event[i].id == EVT_malloc)
			assert_int_equal(EVENT_AS(malloc, &content.event[i])->size, at++);
	}
	for (size_t i = 1; i < content.frames; i++)
		assert_int_equal(content.info[i].sequence, content.info[i - 1].sequence + 1);
}

static void put_push(struct region_ring *ring, uint64_t domain, uint64_t name)
{
	fixture_put(&f, ring,
		    (uint64_t[]){ record_word(fixture_ticks(&f), EVT_nvtx_push), domain, name }, 3);
}

static const char *pushed_name(size_t nth)
{
	const struct event *e = content_find(&content, EVT_nvtx_push, nth);

	assert_non_null(e);
	return content_string(&content, EVENT_AS(nvtx_push, e)->name);
}

TEST_BOTH(names_are_joined_whenever_they_come, setup, teardown)
{
	static const char longer[] =
		"a name that is longer than the sixty-four bytes that one piece of text can hold";
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);
	struct region_ring *other = fixture_add_ring(&f, 1, 0, 78);

	fixture_put_text(&f, ring, 11, "before", 0);
	put_push(ring, 0, 11);
	put_push(ring, 0, 12);
	collector_turn(&c);
	epoch_close(&c, EPOCH_NOW);
	fixture_put_text(&f, other, 12, "after, from another thread", 0);
	fixture_put_text(&f, ring, 13, longer, 0);
	epoch_close(&c, EPOCH_NOW);
	fixture_put_text(&f, ring, 13, longer, 1);
	put_push(ring, 0, 13);
	fixture_put_text(&f, ring, 14, longer, 0); /* never completed */
	put_push(ring, 0, 14);
	put_push(ring, 0, 0);
	finish();
	assert_string_equal(pushed_name(0), "before");
	assert_string_equal(pushed_name(1), "after, from another thread");
	assert_string_equal(pushed_name(2), longer);
	assert_null(pushed_name(3));
	assert_string_equal(pushed_name(4), "");
}

TEST_BOTH(text_that_cannot_be_closes_the_ring, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);
	uint64_t record[RECORD_PIECE_WORDS] = { record_word(fixture_ticks(&f), RECORD_TEXT), 9,
						(uint64_t)(RECORD_TEXT_MAX + 1) << 32 };

	fixture_put(&f, ring, record, RECORD_PIECE_WORDS);
	finish();
	assert_int_equal(content_lost(&content, EVT_LOST_SCRIBBLED), 1);
}

/* One ring is scribbled over in some way, the other must be read to its end. */
static void scribble(void (*damage)(struct region_ring *ring))
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);
	struct region_ring *sound = fixture_add_ring(&f, 1, 0, 78);

	fixture_put_malloc(&f, ring, 0x1000, 1, 0x401122);
	collector_turn(&c);
	epoch_close(&c, EPOCH_NOW);
	fixture_put_free(&f, ring, 0x1000);
	damage(ring);
	for (unsigned int i = 0; i < 10; i++)
		fixture_put_malloc(&f, sound, 0x2000 + i, 1, 0x401122);
	finish();
	assert_int_equal(atomic_load(&ring->state), REGION_RING_CLOSED);
	assert_int_equal(content_lost(&content, EVT_LOST_SCRIBBLED), 1);
	assert_int_equal(content_count(&content, EVT_malloc), 11);
}

static void damage_head(struct region_ring *ring)
{
	atomic_store(&ring->head, 1ull << 60);
}

static void damage_head_back(struct region_ring *ring)
{
	atomic_store(&ring->head, 1);
}

static void damage_type(struct region_ring *ring)
{
	uint64_t words, *at = fixture_words(&f, ring, &words);

	at[3] = record_word(5, 126);
}

static void damage_type_system(struct region_ring *ring)
{
	uint64_t words, *at = fixture_words(&f, ring, &words);

	at[3] = record_word(5, EVT_process);
}

static void damage_time(struct region_ring *ring)
{
	uint64_t words, *at = fixture_words(&f, ring, &words);

	at[3] = record_word(1ull << 55, EVT_free);
}

static void damage_pad(struct region_ring *ring)
{
	uint64_t words, *at = fixture_words(&f, ring, &words);

	at[3] = record_word(1000, RECORD_PAD);
}

static void damage_length(struct region_ring *ring)
{
	uint64_t words, *at = fixture_words(&f, ring, &words);

	at[3] = record_word(5, EVT_nvtx_mark); /* 7 words where 2 are published */
}

#define SCRIBBLE_TEST(what)                          \
	TEST_BOTH(scribbled_##what, setup, teardown) \
	{                                            \
		scribble(damage_##what);             \
	}
SCRIBBLE_TEST(head)
SCRIBBLE_TEST(head_back)
SCRIBBLE_TEST(type)
SCRIBBLE_TEST(type_system)
SCRIBBLE_TEST(time)
SCRIBBLE_TEST(pad)
SCRIBBLE_TEST(length)

/* The tail belongs to the collector: what the program writes over it changes nothing. */
TEST_BOTH(scribbled_tail_is_not_believed, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);

	fixture_put_malloc(&f, ring, 0x1000, 1, 0x401122);
	collector_turn(&c);
	epoch_close(&c, EPOCH_NOW);
	atomic_store(&ring->tail, 123456789);
	fixture_put_malloc(&f, ring, 0x2000, 1, 0x401122);
	finish();
	assert_int_equal(content_count(&content, EVT_malloc), 2);
	assert_int_equal(content_count(&content, EVT_lost), 0);
}

TEST_BOTH(ring_of_no_process_is_refused, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);

	ring->process = 5000;
	finish();
	assert_int_equal(atomic_load(&ring->state), REGION_RING_CLOSED);
	assert_int_equal(content_count(&content, EVT_thread), 0);
}

TEST_BOTH(drops_are_told_once, setup, teardown)
{
	struct region_ring *ring = fixture_add_ring(&f, 0, 0, 77);

	atomic_store(&ring->dropped, 5);
	collector_turn(&c);
	epoch_close(&c, EPOCH_NOW);
	atomic_store(&ring->dropped, 7);
	atomic_store(&f.process[0].lost_nested, 3);
	atomic_store(&f.process[0].lost_no_ring, 4);
	atomic_store(&f.process[0].lost_early, 2);
	atomic_store(&f.process[0].lost_stacks, 6);
	atomic_store(&f.header->lost_no_process, 1);
	finish();
	assert_int_equal(content_lost(&content, EVT_LOST_FULL), 7);
	assert_int_equal(content_lost(&content, EVT_LOST_NESTED), 3);
	assert_int_equal(content_lost(&content, EVT_LOST_NO_RING), 4);
	assert_int_equal(content_lost(&content, EVT_LOST_EARLY), 2);
	assert_int_equal(content_lost(&content, EVT_LOST_NO_STACK), 6);
	assert_int_equal(content_lost(&content, EVT_LOST_NO_PROCESS), 1);
	assert_int_equal(content.end.lost, 17); /* events; not stacks */
}

/* A record is in no later frame than the one whose watermark passes it. */
TEST_BOTH(frames_are_consistent_cuts, setup, teardown)
{
	struct region_ring *one = fixture_add_ring(&f, 0, 0, 77);
	struct region_ring *other = fixture_add_ring(&f, 1, 0, 78);

	for (unsigned int i = 0; i < 20000; i++) {
		fixture_put_malloc(&f, i % 10 ? one : other, 0x10000 + i * 32, i, 0x401122);
		if (i % 500 == 0)
			collector_turn(&c);
	}
	finish();
	assert_int_equal(content_count(&content, EVT_malloc), 20000);
	for (size_t i = 1; i < content.frames; i++)
		assert_true(content.info[i].watermark_ns >= content.info[i - 1].watermark_ns);
}
