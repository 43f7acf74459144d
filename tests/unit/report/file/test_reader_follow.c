/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * A file that grows while it is read: at whatever byte it ends for the moment, frames come once,
 * whole and in order, and nothing is a fault before its writer has gone.
 */
#include "tests/unit/unit.h"
#include "collector/format/error.h"
#include "report/file/reader.h"
#include "tests/unit/recording.h"

#define FRAMES 4u

static const struct file_header plain_header = { .version = FILE_VERSION,
						 .clock = 1,
						 .base_mono = 5,
						 .session = "session",
						 .host = "host" };

struct following {
	struct bytes bytes;
	struct reader *reader;
	unsigned int faults;
	uint64_t sequence, records;
};

static void take_fault(void *context, uint64_t offset, int error, const char *text)
{
	struct following *following = context;

	(void)offset;
	(void)error;
	(void)text;
	following->faults++;
}

static void make(struct recording *r)
{
	recording_start(r, &plain_header);
	for (uint64_t frame = 1; frame <= FRAMES; frame++) {
		frame_begin_block(r->fw, 1);
		for (uint64_t i = 0; i < frame; i++)
			FRAME_PUT(r->fw, 10 * frame + i, nvtx_pop, .domain = 0);
		frame_end_block(r->fw);
		recording_close_frame(r, 10 * frame + 9);
	}
	recording_finish(r, 100);
}

/* Takes what there is; each frame must be the one after the last. */
static void read_on(struct following *following, size_t size, bool grows)
{
	struct reader_frame frame;
	int error;

	following->bytes.size = size;
	reader_follow(following->reader, grows);
	while (!(error = reader_next(following->reader, &frame))) {
		assert_int_equal(frame.info.sequence, ++following->sequence);
		for (size_t i = 0; i < frame.block_count; i++)
			following->records += frame.block[i].records;
	}
	assert_int_equal(error, EVT_END);
}

static void open_at(struct following *following, const struct recording *r, size_t size)
{
	const struct reader_listener listener = { take_fault, following, NULL };

	*following = (struct following){ .bytes = bytes_of(r->bytes, size) };
	assert_int_equal(reader_open(&following->reader, &following->bytes, true, &listener), 0);
}

TEST(every_byte_may_be_the_last_one_for_now)
{
	struct following following;
	struct recording r;
	uint64_t before = 0;
	size_t header;

	make(&r);
	header = 8 + (size_t)r.bytes[4] + ((size_t)r.bytes[5] << 8);
	open_at(&following, &r, header);
	for (size_t size = header; size <= r.length; size++) {
		read_on(&following, size, true);
		assert_true(following.sequence >= before && following.sequence <= before + 1);
		before = following.sequence;
		assert_int_equal(following.faults, 0);
	}
	assert_int_equal(following.sequence, FRAMES);
	assert_int_equal(following.records, 1 + 2 + 3 + 4);
	assert_true(reader_facts(following.reader)->complete);
	read_on(&following, r.length, false);
	assert_int_equal(following.faults, 0);
	reader_close(following.reader);
	recording_release(&r);
}

TEST(each_stop_leads_to_the_whole)
{
	struct recording r;
	size_t header;

	make(&r);
	header = 8 + (size_t)r.bytes[4] + ((size_t)r.bytes[5] << 8);
	for (size_t size = header; size <= r.length; size += recording_step(&r, size)) {
		struct following following;

		open_at(&following, &r, size);
		read_on(&following, size, true);
		read_on(&following, r.length, true);
		assert_int_equal(following.sequence, FRAMES);
		assert_int_equal(following.faults, 0);
		reader_close(following.reader);
	}
	recording_release(&r);
}

/* The writer was killed: what it left unfinished is a fault now, and was none while it lived. */
TEST(what_is_missing_is_said_when_nobody_writes)
{
	struct following following;
	struct recording r;
	size_t cut;

	make(&r);
	cut = r.frame_offset[FRAMES] + 10;
	open_at(&following, &r, cut);
	read_on(&following, cut, true);
	assert_int_equal(following.faults, 0);
	assert_int_equal(following.sequence, FRAMES - 1);
	read_on(&following, cut, false);
	assert_int_equal(following.faults, 2); /* cut inside a frame, and no end */
	reader_close(following.reader);
	recording_release(&r);
}

/* Damage behind which something follows is passed over at once, as in any file. */
TEST(damage_is_passed_over_while_it_grows)
{
	struct following following;
	struct recording r;

	make(&r);
	r.bytes[r.frame_offset[2] + 20] ^= 0x55;
	open_at(&following, &r, r.frame_offset[2]);
	read_on(&following, r.frame_offset[2], true);
	assert_int_equal(following.sequence, 1);
	following.sequence = 2;
	read_on(&following, r.length, true);
	assert_int_equal(following.sequence, FRAMES);
	assert_int_equal(following.faults, 2); /* the frame, and what the end counts */
	reader_close(following.reader);
	recording_release(&r);
}
