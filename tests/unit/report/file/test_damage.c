/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Damaged and hostile recordings: what can be read is given out, what cannot is named, and nothing
 * takes memory or time without bound.
 */
#include "tests/unit/unit.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/format/error.h"
#include "report/raw/check.h"
#include "report/session/source_open.h"
#include "tests/unit/recording.h"

#define EVENTS_MAX 256u
#define FRAMES 4u
#define FRAME_EVENTS 6u

static const struct file_header plain_header = { .version = FILE_VERSION,
						 .clock = 1,
						 .base_mono = 5000,
						 .base_real = 900000000000,
						 .pid = 100,
						 .session = "session",
						 .host = "host" };

/* What was read: a hash for each event, and what was said. */
struct reading {
	int error;
	uint64_t hash[EVENTS_MAX];
	size_t count;
	size_t faults;
	char text[512]; /* of the first faults */
};

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3ull;
	return hash;
}

static uint64_t event_hash(const struct event *event)
{
	uint64_t hash = hash_bytes(event->id, &event->time_ns, sizeof(event->time_ns));
	size_t words = event->words;

	if (event->id == EVT_string) {
		struct evt_text text = EVENT_AS(string, event)->text;

		hash = hash_bytes(hash, evt_text_bytes(text), text.length);
		words = 1;
	}
	return hash_bytes(hash, event->value, words * sizeof(*event->value));
}

static void fault_note(void *context, uint64_t offset, int error, const char *text)
{
	struct reading *reading = context;
	size_t length = strlen(reading->text);

	(void)error;
	reading->faults++;
	snprintf(reading->text + length, sizeof(reading->text) - length, "%llu: %s\n",
		 (unsigned long long)offset, text);
}

static void read_events(struct reading *reading, struct reader *reader, struct check *check)
{
	struct reader_frame frame;

	while (!reader_next(reader, &frame)) {
		check_frame(check, reader_facts(reader), &frame);
		for (size_t i = 0; i < frame.block_count; i++) {
			for (uint32_t j = 0;
			     j < frame.block[i].count && reading->count < EVENTS_MAX; j++)
				reading->hash[reading->count++] = event_hash(
					&frame.block[i].event[j]);
		}
	}
}

/* As `prof-report check` reads it, and once more as the reports do, for their crashes. */
static struct reading read_image(const uint8_t *image, size_t length)
{
	/* of the exact size: a sanitiser sees a read behind it */
	uint8_t *copy = length ? memcpy(malloc(length), image, length) : NULL;
	struct reading reading = { 0 };
	const struct reader_listener listener = { fault_note, &reading, NULL };
	struct bytes bytes = bytes_of(copy, length);
	struct session_file file = { .path = (char[]){ "memory.evt" }, .bytes = bytes };
	struct source_event event;
	struct source *source;
	struct reader *reader;
	struct check check;
	char message[256];

	reading.error = reader_open(&reader, &bytes, false, &listener);
	if (!reading.error) {
		check_init(&check, &listener);
		read_events(&reading, reader, &check);
		check_finish(&check, reader_facts(reader));
		check_release(&check);
		reader_close(reader);
	}
	assert_int_equal(source_open_files(&source, &file, 1, message, sizeof(message)),
			 reading.error);
	if (!reading.error) {
		while (!source_next(source, &event))
			;
		source_close(source);
	}
	free(copy);
	return reading;
}

static void make_small(struct recording *r)
{
	recording_start(r, &plain_header);
	for (unsigned int i = 0; i < FRAMES; i++) {
		frame_begin_block(r->fw, 0);
		if (i == 0) {
			FRAME_PUT(r->fw, 0, string, .id = 1, .text = { (uintptr_t) "program", 7 });
			FRAME_PUT(r->fw, 0, process, .process = 1, .pid = 100, .command = 1,
				  .executable = 1);
			FRAME_PUT(r->fw, 0, thread, .stream = 1, .process = 1, .tid = 11);
		}
		FRAME_PUT(r->fw, 100 * i, process_cpu, .process = 1, .cpu_ns = i);
		frame_end_block(r->fw);
		frame_begin_block(r->fw, 1);
		for (unsigned int j = 0; j < FRAME_EVENTS; j++)
			frame_put_born(r->fw, EVT_malloc, 100 * i + j, 0x1000 + 1000 * i + 16 * j,
				       100 + j, 77);
		frame_end_block(r->fw);
		recording_close_frame(r, 100 * i + 50);
	}
	recording_finish(r, 400);
}

TEST(an_undamaged_recording_has_no_faults)
{
	struct recording r;
	struct reading whole;

	make_small(&r);
	whole = read_image(r.bytes, r.length);
	assert_string_equal(whole.text, "");
	assert_int_equal(whole.count, 3 + FRAMES * (1 + FRAME_EVENTS));
	recording_release(&r);
}

TEST(cut_at_every_byte_it_is_readable_up_to_there)
{
	struct reading whole, part;
	struct recording r;
	size_t expected;

	make_small(&r);
	whole = read_image(r.bytes, r.length);
	for (size_t length = 0; length < r.length; length += recording_step(&r, length)) {
		part = read_image(r.bytes, length);
		assert_true(part.error || part.faults);
		assert_memory_equal(part.hash, whole.hash, part.count * sizeof(*part.hash));
		expected = 0;
		for (unsigned int i = 2; i <= FRAMES + 1; i++) {
			size_t end = i <= FRAMES
					     ? r.frame_offset[i]
					     : r.frame_offset[FRAMES] + r.seek[FRAMES].compressed;

			if (length >= end)
				expected += 1 + FRAME_EVENTS + (i == 2 ? 3 : 0);
		}
		assert_int_equal(part.count, expected);
	}
	recording_release(&r);
}

/*
 * Bits that zstd ignores, or with which it says the same in other words: a few in each of its
 * tables.
 */
#define IGNORED_BITS 40u
#define BITS_STEP 7u

/*
 * A bit of each byte, in turn each of the eight: named, or without any effect on what is read. The
 * fuzz targets go on from here.
 */
TEST(flipped_bits_are_named_or_ignored)
{
	struct reading whole, part;
	struct recording r;
	size_t ignored = 0;

	make_small(&r);
	whole = read_image(r.bytes, r.length);
	for (size_t bit = 0; bit < r.length * 8; bit += BITS_STEP * recording_step(&r, bit / 8)) {
		r.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		part = read_image(r.bytes, r.length);
		r.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (part.error || part.faults)
			continue;
		ignored++;
		assert_int_equal(part.count, whole.count);
		assert_memory_equal(part.hash, whole.hash, whole.count * sizeof(*whole.hash));
	}
	assert_true(ignored <= (FRAMES + 1) * IGNORED_BITS);
	recording_release(&r);
}

TEST(the_frames_around_a_damaged_one_are_read)
{
	struct recording r;
	struct reading part;

	make_small(&r);
	r.bytes[r.frame_offset[3] - 1] ^= 1; /* the checksum of frame 2 */
	part = read_image(r.bytes, r.length);
	assert_int_equal(part.count, 3 + (FRAMES - 1) * (1 + FRAME_EVENTS));
	assert_non_null(strstr(part.text, "frame 2: the checksum does not match"));
	assert_non_null(strstr(part.text, "31 records written, 24 read"));
	recording_release(&r);
}

TEST(missing_frames_are_counted)
{
	struct recording r;
	struct reading part;
	size_t gap;

	make_small(&r);
	gap = r.frame_offset[4] - r.frame_offset[2];
	memmove(r.bytes + r.frame_offset[2], r.bytes + r.frame_offset[4],
		r.length - r.frame_offset[4]);
	part = read_image(r.bytes, r.length - gap);
	assert_non_null(strstr(part.text, "frames 2 to 3 are missing"));
	assert_int_equal(part.count, 3 + 2 * (1 + FRAME_EVENTS));
	recording_release(&r);
}

TEST(frames_are_not_read_twice)
{
	struct recording r, twice = { 0 };
	struct reading part;

	make_small(&r);
	recording_append(&twice, r.bytes, r.frame_offset[3]);
	recording_append(&twice, r.bytes + r.frame_offset[2], r.length - r.frame_offset[2]);
	part = read_image(twice.bytes, twice.length);
	assert_non_null(strstr(part.text, "frame 2 comes after frame 2"));
	assert_int_equal(part.count, 3 + FRAMES * (1 + FRAME_EVENTS));
	recording_release(&r);
	recording_release(&twice);
}

TEST(what_is_not_a_recording_is_refused)
{
	static const uint8_t elf[64] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	struct file_header newer = plain_header;
	struct recording r, zstd = { 0 };

	assert_int_equal(read_image(NULL, 0).error, EVT_EMPTY);
	assert_int_equal(read_image(elf, sizeof(elf)).error, EVT_FOREIGN);
	assert_int_equal(read_image((const uint8_t *)"text\n", 5).error, EVT_FOREIGN);
	recording_append_frame(&zstd, elf, sizeof(elf));
	assert_int_equal(read_image(zstd.bytes, zstd.length).error, EVT_FOREIGN);
	recording_release(&zstd);
	newer.version = FILE_VERSION_KEEP_LAST + 1;
	recording_start(&r, &newer);
	assert_int_equal(read_image(r.bytes, r.length).error, EVT_NEWER);
	recording_release(&r);
}

TEST(a_recording_without_its_header_is_read)
{
	struct recording r;
	struct reading part;

	make_small(&r);
	r.bytes[20] ^= 0xff;
	part = read_image(r.bytes, r.length);
	assert_int_equal(part.error, 0);
	assert_non_null(strstr(part.text, "0: the header is damaged"));
	assert_int_equal(part.count, 3 + FRAMES * (1 + FRAME_EVENTS));
	recording_release(&r);
}

TEST(a_second_recording_behind_the_first_is_named)
{
	struct recording r, both = { 0 };
	struct reading part;

	make_small(&r);
	recording_append(&both, r.bytes, r.length);
	recording_append(&both, r.bytes, r.length);
	part = read_image(both.bytes, both.length);
	assert_non_null(strstr(part.text, "another recording begins here"));
	assert_int_equal(part.count, 3 + FRAMES * (1 + FRAME_EVENTS));
	recording_release(&both);
	recording_release(&r);
}

/* Frames that say they are huge, frames of nothing but zeros, and magics all over. */
static void make_hostile(struct recording *r)
{
	static const uint8_t huge[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xe4, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 0xff, 0x0f, 0x01, 0,    0,    0 };
	static const uint8_t magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	size_t zeros = 64u << 20;
	uint8_t *zero = calloc(1, zeros);

	recording_start(r, &plain_header);
	recording_append(r, huge, sizeof(huge));
	recording_append_frame(r, zero, zeros);
	memcpy(zero, "DATA", 4);
	memset(zero + 4, 0xff, 200);
	recording_append_frame(r, zero, FRAME_BYTES_MAX);
	memset(zero + 4, 0x01, FRAME_BYTES_MAX - 4);
	recording_append_frame(r, zero, FRAME_BYTES_MAX);
	for (unsigned int i = 0; i < 20000; i++)
		recording_append(r, magic, sizeof(magic));
	free(zero);
}

static int hostile_child(const struct recording *r)
{
	const struct rlimit memory = { 512u << 20, 512u << 20 }, cpu = { 30, 30 };
	struct reading part;

#ifndef __SANITIZE_ADDRESS__
	setrlimit(RLIMIT_AS, &memory);
#endif
	(void)memory;
	setrlimit(RLIMIT_CPU, &cpu);
	part = read_image(r->bytes, r->length);
	return part.error == 0 && part.faults ? 0 : 1;
}

TEST(hostile_sizes_take_no_memory)
{
	struct recording r;
	int status;
	pid_t child;

	make_hostile(&r);
	fflush(NULL);
	child = fork();
	if (child == 0)
		_exit(hostile_child(&r));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	recording_release(&r);
}
