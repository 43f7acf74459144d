/* SPDX-License-Identifier: MIT */
/* build: collector/format/block_writer.c collector/format/frame_writer.c collector/format/kind_table.c collector/format/stack_table.c collector/format/schema.c collector/format/events.c collector/format/file.c collector/format/error.c -lzstd */
/*
 * usage: rank_files COUNT STEM
 * Writes the files of a session of COUNT ranks, STEM.evt and STEM.host.PID.START.evt beside it:
 * each a process of two threads that trains for a few steps. Names and callers are those of all
 * ranks, numbered in another order in each. What rank r does is known: 100 steps of one range
 * "step", 8 operators, 12 blocks of 64 + r % 4 bytes that are freed in the next step, and a block
 * of 1 MiB that lives from step 40 + r % 20 to the next. Ranks start 1 us apart.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tests/unit/recording.h"

#define STEPS 100u
#define OPERATORS 8u
#define BLOCKS 12u
#define NAMES 100u
#define STEP_NS 1000000u
#define BIG (1u << 20)

static uint64_t name_of(unsigned int rank, unsigned int name)
{
	return 1 + (name + rank) % NAMES;
}

static void put_names(struct frame_writer *fw, unsigned int rank)
{
	for (unsigned int i = 0; i < NAMES; i++) {
		char text[64];
		int length = i == 0   ? snprintf(text, sizeof(text), "step")
			     : i == 1 ? snprintf(text, sizeof(text), "python train.py")
			     : i == 2 ? snprintf(text, sizeof(text), "rank %u", rank)
				      : snprintf(text, sizeof(text), "aten::operator_%u", i);

		FRAME_PUT(fw, 0, string, .id = name_of(rank, i),
			  .text = { (uint64_t)(uintptr_t)text, (uint64_t)length });
	}
}

static void put_start(struct frame_writer *fw, unsigned int rank)
{
	frame_begin_block(fw, 0);
	put_names(fw, rank);
	FRAME_PUT(fw, 0, process, .process = 1, .pid = 1000 + rank, .command = name_of(rank, 1));
	FRAME_PUT(fw, 0, thread, .stream = 1, .process = 1, .tid = 1000 + rank);
	FRAME_PUT(fw, 0, thread, .stream = 2, .process = 1, .tid = 100000 + rank);
	FRAME_PUT(fw, 0, module, .process = 1, .start = 0x400000, .bytes = 0x100000,
		  .path = name_of(rank, 2));
	frame_end_block(fw);
}

static void put_step(struct frame_writer *fw, unsigned int rank, unsigned int step)
{
	uint64_t at = 10 + (uint64_t)step * STEP_NS, big_from = 40 + rank % 20;

	FRAME_PUT(fw, at, nvtx_push, .name = name_of(rank, 0));
	for (unsigned int i = 0; i < BLOCKS; i++) {
		if (step)
			FRAME_PUT(fw, at += 100, free, .ptr = 0x10000 + 4096 * i);
		frame_put_born(fw, EVT_malloc, at += 100, 0x10000 + 4096 * i, 64 + rank % 4,
			       0x400000 + 16 * i);
	}
	if (step == big_from)
		frame_put_born(fw, EVT_malloc, at += 100, 0x10000000, BIG, 0x400f00);
	if (step == big_from + 1)
		FRAME_PUT(fw, at += 100, free, .ptr = 0x10000000);
	for (unsigned int i = 0; i < OPERATORS; i++) {
		FRAME_PUT(fw, at += 100, torch_begin, .name = name_of(rank, 3 + (i + step) % 90));
		frame_put(fw, EVT_torch_end, at += 1000, NULL);
	}
	FRAME_PUT(fw, at += 100, nvtx_pop, .domain = 0);
}

static void write_file(const char *path, const struct recording *r)
{
	FILE *out = fopen(path, "wb");

	if (!out || fwrite(r->bytes, 1, r->length, out) != r->length || fclose(out)) {
		perror(path);
		exit(1);
	}
}

static void write_rank(const char *stem, unsigned int rank)
{
	struct file_header header = { .version = FILE_VERSION,
				      .base_mono = 1000000000 + 1000ull * rank,
				      .base_real = 2000000000 + 1000ull * rank,
				      .pid = 1000 + rank,
				      .session = "ranks",
				      .host = "host" };
	struct recording r;
	char path[4096];

	recording_start(&r, &header);
	put_start(r.fw, rank);
	for (unsigned int half = 0; half < 2; half++) {
		frame_begin_block(r.fw, 1);
		for (unsigned int i = 0; i < STEPS / 2; i++)
			put_step(r.fw, rank, half * STEPS / 2 + i);
		frame_end_block(r.fw);
		frame_begin_block(r.fw, 2);
		frame_put_born(r.fw, EVT_calloc, (half * STEPS / 2 + 1) * STEP_NS,
			       0x8000 + 64 * half, 32, 0x400800);
		frame_end_block(r.fw);
		recording_close_frame(&r, (half + 1) * STEPS / 2 * STEP_NS);
	}
	recording_finish(&r, STEPS * STEP_NS);
	if (rank)
		snprintf(path, sizeof(path), "%s.host.%u.1.evt", stem, 1000 + rank);
	else
		snprintf(path, sizeof(path), "%s.evt", stem);
	write_file(path, &r);
	recording_release(&r);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: rank_files COUNT STEM\n");
		return 2;
	}
	for (unsigned int rank = 0; rank < (unsigned int)atoi(argv[1]); rank++)
		write_rank(argv[2], rank);
	return 0;
}
