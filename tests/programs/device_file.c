/* SPDX-License-Identifier: MIT */
/* build: collector/format/block_writer.c collector/format/frame_writer.c collector/format/kind_table.c collector/format/stack_table.c collector/format/schema.c collector/format/events.c collector/format/file.c collector/format/error.c -lzstd */
/*
 * usage: device_file STEM
 * Writes two ranks, STEM.evt and STEM.host.1001.1.evt, each with a GPU of its own whose state NVML
 * told once a second, at 1 s, 2 s, ... 10 s. 40 steps of a quarter of a second each begin at 0 s.
 * The GPU of rank 0 has 1,980 MHz throughout. That of rank 1 is throttled by its power limit in the
 * samples at 6 s and later, with 1,215 MHz, and its steps take twice as long from 5 s on: 20 short
 * ones and 10 long ones. Its file also names a GPU that the process may not use.
 */
#include <stdio.h>

#include "tests/unit/recording.h"

#define SECOND_NS 1000000000ull
#define SAMPLES 10u
#define THROTTLED_FROM 6u
#define STEP_NS (SECOND_NS / 4)
#define POWER_LIMIT 0x4u

enum {
	COMMAND = 1,
	LABEL,
	MODEL,
	DRIVER,
	UUID,
	OTHER_UUID,
	EMPTY,
	RANK,
	WORLD,
	NUMBER,
	TWO,
	NAMES
};

static void put_names(struct frame_writer *fw, unsigned int rank)
{
	const char *const texts[NAMES] = {
		[COMMAND] = "python train.py",
		[LABEL] = "Optimizer.step#SGD.step",
		[MODEL] = "Fake H100",
		[DRIVER] = "580.0",
		[UUID] = rank ? "GPU-b1b1b1b1-0000-0000-0000-000000000000"
			      : "GPU-a0a0a0a0-0000-0000-0000-000000000000",
		[OTHER_UUID] = "GPU-c2c2c2c2-0000-0000-0000-000000000000",
		[EMPTY] = "",
		[RANK] = "rank",
		[WORLD] = "world_size",
		[NUMBER] = rank ? "1" : "0",
		[TWO] = "2",
	};

	for (unsigned int i = 1; i < NAMES; i++)
		FRAME_PUT(fw, 0, string, .id = i,
			  .text = { (uint64_t)(uintptr_t)texts[i], strlen(texts[i]) });
}

static void put_start(struct frame_writer *fw, unsigned int rank)
{
	frame_begin_block(fw, 0);
	put_names(fw, rank);
	FRAME_PUT(fw, 0, process, .process = 1, .pid = 1000 + rank, .command = COMMAND);
	FRAME_PUT(fw, 0, thread, .stream = 1, .process = 1, .tid = 1000 + rank);
	FRAME_PUT(fw, 0, meta, .process = 1, .key = RANK, .value = NUMBER);
	FRAME_PUT(fw, 0, meta, .process = 1, .key = WORLD, .value = TWO);
	FRAME_PUT(fw, 0, device_card, .card = 0, .uuid = UUID, .model = MODEL, .driver = DRIVER,
		  .nvml = DRIVER, .max_sm_clock_mhz = 1981, .power_limit_mw = 700001,
		  .memory_bytes = (80ull << 30) + 1);
	frame_end_block(fw);
}

static void put_samples(struct frame_writer *fw, bool is_slow)
{
	frame_begin_block(fw, 0);
	for (unsigned int i = 1; i <= SAMPLES; i++) {
		bool held = is_slow && i >= THROTTLED_FROM;

		FRAME_PUT(fw, i * SECOND_NS, device_sample, .card = 0,
			  .sm_clock_mhz = (held ? 1215 : 1980) + 1,
			  .power_mw = (held ? 700000 : 512000) + 1,
			  .temperature_c = (held ? 84 : 61) + 1, .gpu_percent = 97 + 1,
			  .memory_used_bytes = (21ull << 30) + 1,
			  .reasons = (held ? POWER_LIMIT : 0) + 1);
	}
	frame_end_block(fw);
}

static void put_steps(struct frame_writer *fw, bool is_slow)
{
	uint64_t at = 0;

	frame_begin_block(fw, 1);
	FRAME_PUT(fw, 0, gpu_device, .device = 0, .model = MODEL, .uuid = UUID, .mig_uuid = EMPTY,
		  .visible = 1);
	FRAME_PUT(fw, 0, gpu_device, .device = 1, .model = MODEL, .uuid = OTHER_UUID,
		  .mig_uuid = EMPTY);
	for (unsigned int number = 0; at <= SAMPLES * SECOND_NS; number++) {
		FRAME_PUT(fw, at, step, .number = number, .name = LABEL);
		at += is_slow && at >= (THROTTLED_FROM - 1) * SECOND_NS ? 2 * STEP_NS : STEP_NS;
	}
	frame_end_block(fw);
}

static void write_rank(const char *stem, unsigned int rank)
{
	struct file_header header = { .version = FILE_VERSION,
				      .base_mono = SECOND_NS,
				      .base_real = 2 * SECOND_NS,
				      .pid = 1000 + rank,
				      .session = "devices",
				      .host = "host" };
	struct recording r;
	char path[4096];
	FILE *out;

	recording_start(&r, &header);
	put_start(r.fw, rank);
	put_samples(r.fw, rank == 1);
	put_steps(r.fw, rank == 1);
	recording_close_frame(&r, (SAMPLES + 1) * SECOND_NS);
	recording_finish(&r, (SAMPLES + 1) * SECOND_NS);
	snprintf(path, sizeof(path), rank ? "%s.host.1001.1.evt" : "%s.evt", stem);
	out = fopen(path, "wb");
	if (!out || fwrite(r.bytes, 1, r.length, out) != r.length || fclose(out)) {
		perror(path);
		exit(1);
	}
	recording_release(&r);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: device_file STEM\n");
		return 2;
	}
	write_rank(argv[1], 0);
	write_rank(argv[1], 1);
	return 0;
}
