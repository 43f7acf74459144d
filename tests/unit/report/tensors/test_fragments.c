/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/tensors/fragments.c: free pieces of segments, over recordings in memory. */
#include "tests/unit/unit.h"
#include "report/session/source_open.h"
#include "report/tensors/fragments.h"
#include "tests/unit/cuda_recording.h"

#define GPU 257u
#define MIB (UINT64_C(1) << 20)

static struct cuda_recording c;
static struct source *source;
static struct run *run;
static const struct fragments *fragments;
static uint64_t now_ns, reserved;

static void start(void)
{
	cuda_recording_start(&c, 1);
	frame_begin_block(c.r.fw, 1);
	now_ns = 100;
	reserved = 0;
}

/* A block of so many MiB, at an address in MiB. */
static void alloc(uint64_t address, uint64_t size)
{
	FRAME_PUT(c.r.fw, now_ns++, tensor_alloc, .ptr = address * MIB, .bytes = size * MIB,
		  .device = GPU);
}

static void release_block(uint64_t address)
{
	FRAME_PUT(c.r.fw, now_ns++, tensor_free, .ptr = address * MIB, .device = GPU);
}

static void ask(uint64_t address, uint64_t size)
{
	FRAME_PUT(c.r.fw, now_ns++, cuda_alloc, .function = cuda_recording_name(&c, "cudaMalloc"),
		  .kind = EVT_CUDA_DEVICE, .address = address * MIB, .bytes = size * MIB);
}

static void total(int64_t change)
{
	reserved += (uint64_t)change * MIB;
	FRAME_PUT(c.r.fw, now_ns++, tensor_totals, .device = GPU, .reserved = reserved);
}

/* A segment for its first block. */
static void grow(uint64_t address, uint64_t segment, uint64_t block)
{
	ask(address, segment);
	alloc(address, block);
	total((int64_t)segment);
}

static const struct fragments_peak *finish(void)
{
	static char path[] = "one.evt";
	static const struct filter_settings plain = { .pid = FILTER_NO_ID,
						      .tid = FILTER_NO_ID,
						      .to_ns = UINT64_MAX };
	struct session_file file = { .path = path };
	char message[256];

	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, 1000000);
	file.bytes = bytes_of(c.r.bytes, c.r.length);
	assert_int_equal(source_open_files(&source, &file, 1, message, sizeof(message)), 0);
	run = run_new(source, &plain);
	fragments = fragments_want(run, NULL);
	run_read(run, false);
	return fragments_of(fragments, GPU);
}

static void release(void)
{
	run_free(run);
	source_close(source);
	cuda_recording_release(&c);
}

TEST(pieces_are_what_blocks_leave)
{
	const struct fragments_peak *peak;

	start();
	grow(100, 20, 4);
	alloc(106, 5);
	grow(200, 2, 1); /* of small blocks */
	peak = finish();
	assert_non_null(peak);
	assert_int_equal(peak->reserved, 22 * MIB);
	assert_int_equal(peak->allocated, 10 * MIB);
	assert_int_equal(peak->segments, 1);
	assert_int_equal(peak->free_bytes, 11 * MIB);
	assert_int_equal(peak->largest_bytes, 9 * MIB);
	assert_int_equal(peak->needless, 0);
	release();
}

/* 12 and 14 MiB are free when 16 are asked for; 16 are when 15 are, as of another stream. */
TEST(a_segment_is_needless_if_pieces_are_too_small)
{
	const struct fragments_peak *peak;

	start();
	grow(100, 12, 12);
	release_block(100);
	grow(200, 14, 14);
	release_block(200);
	grow(300, 16, 16);
	release_block(300);
	grow(400, 16, 15);
	ask(700, 64); /* another library's */
	alloc(100, 12);
	release_block(100);
	total(0);
	peak = finish();
	assert_non_null(peak);
	assert_int_equal(peak->reserved, 58 * MIB);
	assert_int_equal(peak->segments, 4);
	assert_int_equal(peak->needless, 1);
	assert_int_equal(peak->needless_bytes, 16 * MIB);
	assert_int_equal(peak->free_bytes, 43 * MIB);
	assert_int_equal(fragments_lost_bytes(peak), 16 * MIB);
	release();
}

TEST(what_is_given_back_is_no_segment)
{
	const struct fragments_peak *peak;

	start();
	grow(100, 20, 4);
	release_block(100);
	FRAME_PUT(c.r.fw, now_ns++, cuda_free, .function = cuda_recording_name(&c, "cudaFree"),
		  .device = -1, .address = 100 * MIB);
	total(-20);
	grow(100, 30, 30);
	peak = finish();
	assert_non_null(peak);
	assert_int_equal(peak->reserved, 30 * MIB);
	assert_int_equal(peak->segments, 1);
	assert_int_equal(peak->free_bytes, 0);
	release();
}

/* Expandable segments, or calls that were not recorded. */
TEST(nothing_is_known_without_segments)
{
	start();
	alloc(100, 12);
	total(12);
	grow(200, 20, 20);
	assert_null(finish());
	release();
}
