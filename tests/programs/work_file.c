/* SPDX-License-Identifier: MIT */
/* build: collector/format/block_writer.c collector/format/frame_writer.c collector/format/kind_table.c collector/format/stack_table.c collector/format/schema.c collector/format/events.c collector/format/file.c collector/format/error.c -lzstd */
/*
 * usage: work_file SECONDS FILE
 * Writes the recording of a program that asks a GPU for work SECONDS long: in each second, which is
 * a frame, an operator in which 16,000 kernels of 40 names are launched 50 us apart. A kernel
 * begins 10 us after its call, takes 20 us, and is told at its end. SECONDS is 60 at most.
 */
#include <stdio.h>

#include "tests/unit/recording.h"

#define SECONDS_MAX 60u /* a recording in memory has as many frames */
#define SECOND_NS 1000000000u
#define LAUNCHES 16000u
#define APART_NS 50000u
#define DELAY_NS 10000u
#define KERNEL_NS 20000u
#define KERNEL_NAMES 40u

enum { NAME_COMMAND = 1, NAME_LAUNCH, NAME_OPERATOR, NAME_KERNELS };

static void put_name(struct frame_writer *fw, uint64_t id, const char *text)
{
	FRAME_PUT(fw, 0, string, .id = id, .text = { (uint64_t)(uintptr_t)text, strlen(text) });
}

static void put_start(struct frame_writer *fw)
{
	char text[64];

	frame_begin_block(fw, 0);
	put_name(fw, NAME_COMMAND, "python train.py");
	put_name(fw, NAME_LAUNCH, "cudaLaunchKernel");
	put_name(fw, NAME_OPERATOR, "aten::mm");
	for (unsigned int i = 0; i < KERNEL_NAMES; i++) {
		snprintf(text, sizeof(text), "_Z6kernelILi%uEEvv", i);
		put_name(fw, NAME_KERNELS + i, text);
	}
	FRAME_PUT(fw, 0, process, .process = 1, .pid = 1000, .command = NAME_COMMAND);
	FRAME_PUT(fw, 0, thread, .stream = 1, .process = 1, .tid = 1000);
	frame_end_block(fw);
}

static void put_second(struct frame_writer *fw, unsigned int second)
{
	uint64_t at = (uint64_t)second * SECOND_NS + 1000;

	FRAME_PUT(fw, at, torch_begin, .name = NAME_OPERATOR);
	for (unsigned int i = 0; i < LAUNCHES; i++, at += APART_NS) {
		uint64_t correlation = (uint64_t)second * LAUNCHES + i + 1;
		uint64_t kernel = NAME_KERNELS + i % KERNEL_NAMES;

		FRAME_PUT(fw, at + 5000, cuda_launch, .function = NAME_LAUNCH, .kernel = kernel,
			  .correlation = correlation, .duration_ns = 4000);
		FRAME_PUT(fw, at + DELAY_NS + KERNEL_NS, gpu_kernel, .ago_ns = (int64_t)KERNEL_NS,
			  .duration_ns = KERNEL_NS, .correlation = correlation, .stream = 7,
			  .kernel = kernel, .grid_x = 1, .grid_y = 1, .grid_z = 1, .block_x = 128,
			  .block_y = 1, .block_z = 1);
	}
	frame_put(fw, EVT_torch_end, at, NULL);
}

int main(int argc, char **argv)
{
	const struct file_header header = { .version = FILE_VERSION,
					    .base_mono = 1000000000,
					    .base_real = 1700000000000000000,
					    .pid = 1000,
					    .session = "work",
					    .host = "node0" };
	unsigned int seconds = argc == 3 ? (unsigned int)atoi(argv[1]) : 0;
	struct recording r;
	FILE *out;

	if (!seconds || seconds > SECONDS_MAX) {
		fprintf(stderr, "usage: work_file SECONDS FILE\n");
		return 2;
	}
	recording_start(&r, &header);
	put_start(r.fw);
	for (unsigned int second = 0; second < seconds; second++) {
		frame_begin_block(r.fw, 1);
		put_second(r.fw, second);
		frame_end_block(r.fw);
		recording_close_frame(&r, (second + 1ull) * SECOND_NS);
	}
	recording_finish(&r, (uint64_t)seconds * SECOND_NS);
	out = fopen(argv[2], "wb");
	if (!out || fwrite(r.bytes, 1, r.length, out) != r.length || fclose(out)) {
		perror(argv[2]);
		return 1;
	}
	recording_release(&r);
	return 0;
}
