/* SPDX-License-Identifier: MIT */
/* build: collector/format/block_writer.c collector/format/frame_writer.c collector/format/kind_table.c collector/format/stack_table.c collector/format/schema.c collector/format/events.c collector/format/file.c collector/format/error.c -lzstd */
/*
 * usage: noise_file THREADS CALLS LETTERS FILE
 * Writes a recording in which nothing repeats itself, 50 s long: THREADS threads, of each CALLS
 * operators, as many launches of kernels and as many allocations, all of random duration at random
 * times, with names of LETTERS random letters of which there are 20,000, and stacks of 12 frames
 * that few others have. A step each 100 ms.
 */
#include <stdio.h>

#include "tests/unit/recording.h"

#define FRAMES 50u /* one a second */
#define SECOND_NS 1000000000u
#define NAMES 20000u
#define LETTERS_MAX 10000u
#define STEPS 10u /* a second */
#define DEPTH 12u

enum { NAME_COMMAND = 1, NAME_LAUNCH, NAME_STEP, NAME_RANDOM };

static uint64_t seed = 88172645463325252u;

static uint64_t any(uint64_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % limit;
}

static void put_name(struct frame_writer *fw, uint64_t id, const char *text)
{
	FRAME_PUT(fw, 0, string, .id = id, .text = { (uint64_t)(uintptr_t)text, strlen(text) });
}

static void put_start(struct frame_writer *fw, unsigned int threads, unsigned int letters)
{
	char text[LETTERS_MAX + 1] = "";

	frame_begin_block(fw, 0);
	put_name(fw, NAME_COMMAND, "python train.py");
	put_name(fw, NAME_LAUNCH, "cudaLaunchKernel");
	put_name(fw, NAME_STEP, "step");
	for (unsigned int i = 0; i < NAMES; i++) {
		for (unsigned int k = 0; k < letters; k++)
			text[k] = (char)('a' + any(26));
		put_name(fw, NAME_RANDOM + i, text);
	}
	FRAME_PUT(fw, 0, process, .process = 1, .pid = 1000, .command = NAME_COMMAND);
	FRAME_PUT(fw, 0, module, .process = 1, .start = 0x400000, .bytes = 0x10000000,
		  .path = NAME_COMMAND);
	for (unsigned int i = 1; i <= threads; i++)
		FRAME_PUT(fw, 0, thread, .stream = i, .process = 1, .tid = 999 + i);
	frame_end_block(fw);
}

static uint64_t any_stack(struct recording *r)
{
	uint64_t address[DEPTH];

	for (unsigned int i = 0; i < DEPTH; i++)
		address[i] = 0x400000 + any(i < 3 ? 16 : 0x8000) * 16;
	return recording_stack_of(r, address, DEPTH);
}

static void put_call(struct recording *r, uint64_t at, uint64_t room, unsigned int thread,
		     uint64_t correlation)
{
	uint64_t duration = 1 + any(room / 2);

	FRAME_PUT(r->fw, at, torch_begin, .name = NAME_RANDOM + any(NAMES));
	frame_put_born(r->fw, EVT_malloc, at + 1, (correlation << 12) + 0x1000, 1 + any(100000),
		       any(8) ? 0x400000 + any(0x8000) * 16 : STACK_WORD | any_stack(r));
	FRAME_PUT(r->fw, at + duration / 2 + 2, cuda_launch, .function = NAME_LAUNCH,
		  .kernel = NAME_RANDOM + any(NAMES), .correlation = correlation,
		  .duration_ns = 1 + any(duration / 2 + 1));
	frame_put(r->fw, EVT_torch_end, at + duration + 3, NULL);
	FRAME_PUT(r->fw, at + duration + 4, gpu_kernel, .ago_ns = (int64_t)(duration / 2),
		  .duration_ns = 1 + any(duration / 2 + 1), .correlation = correlation,
		  .stream = 7 + thread, .kernel = NAME_RANDOM + any(NAMES),
		  .grid_x = (uint32_t)(1 + any(9999)), .grid_y = 1, .grid_z = 1, .block_x = 128,
		  .block_y = 1, .block_z = 1);
}

static void put_second(struct recording *r, unsigned int second, unsigned int threads,
		       unsigned int calls)
{
	uint64_t from = (uint64_t)second * SECOND_NS + 1000, room = (SECOND_NS - 1000) / calls;

	for (unsigned int thread = 1; thread <= threads; thread++) {
		unsigned int steps = 0;

		frame_begin_block(r->fw, thread);
		for (unsigned int i = 0; i < calls; i++) {
			uint64_t at = from + i * room + any(room / 4);

			if (thread == 1 && i * STEPS / calls >= steps)
				FRAME_PUT(r->fw, at, step,
					  .number = (uint64_t)second * STEPS + steps++,
					  .name = NAME_STEP);
			put_call(r, at + 1, room / 2, thread,
				 ((uint64_t)second * calls + i) * threads + thread);
		}
		frame_end_block(r->fw);
	}
}

int main(int argc, char **argv)
{
	static const struct file_header header = { .version = FILE_VERSION,
						   .base_mono = 1000000000,
						   .base_real = 1700000000000000000,
						   .pid = 1000,
						   .session = "noise",
						   .host = "node0" };
	unsigned int threads = argc == 5 ? (unsigned int)atoi(argv[1]) : 0;
	unsigned int calls = argc == 5 ? (unsigned int)atoi(argv[2]) / FRAMES : 0;
	unsigned int letters = argc == 5 ? (unsigned int)atoi(argv[3]) : 0;
	struct recording r;
	FILE *out;

	if (!threads || !calls || !letters || letters > LETTERS_MAX) {
		fprintf(stderr, "usage: noise_file THREADS CALLS LETTERS FILE\n");
		return 2;
	}
	recording_start(&r, &header);
	put_start(r.fw, threads, letters);
	for (unsigned int second = 0; second < FRAMES; second++) {
		put_second(&r, second, threads, calls);
		recording_close_frame(&r, (second + 1ull) * SECOND_NS);
	}
	recording_finish(&r, (uint64_t)FRAMES * SECOND_NS);
	out = fopen(argv[4], "wb");
	if (!out || fwrite(r.bytes, 1, r.length, out) != r.length || fclose(out)) {
		perror(argv[4]);
		return 1;
	}
	recording_release(&r);
	return 0;
}
