/* SPDX-License-Identifier: MIT */
/* build: collector/format/block_writer.c collector/format/frame_writer.c collector/format/kind_table.c collector/format/stack_table.c collector/format/schema.c collector/format/events.c collector/format/file.c collector/format/error.c -lzstd */
/*
 * usage: scale_files RANKS STEM STEPS OPERATORS
 * Writes the files of a training of RANKS ranks, eight a host, STEM.evt and STEM.node0.PID.1.evt
 * beside it. What rank r does is known: STEPS steps of 10 ms, in rank 5 of 20 ms, each of OPERATORS
 * operators of 1 us, a kernel "matmul" of 3 ms, and a kernel "ncclDevKernel_AllReduce" of 1 ms that
 * begins 5 ms into the step, of rank 5 one ms later; resident memory grows by 1 MiB a step from 1
 * GiB + r MiB on; rank 3 loses 40 records. 7 ms into each step a collective begins,
 * gloo:all_reduce, of 1 ms; in rank 7 a full garbage collection of 500 us begins 9 ms into each
 * step, and each rank waits in train.py:12 (fetch) for its first five steps. A step is not ended by
 * the last operator but by the next step. STEPS times OPERATORS is 800,000 at most.
 */
#include <stdio.h>

#include "tests/unit/recording.h"

#define STEP_NS 10000000u
#define MIB (1u << 20)
#define FRAMES 50u
#define OPERATOR_NAMES 100u
#define SLOW_RANK 5u
#define LOSING_RANK 3u
#define COLLECTING_RANK 7u
#define WAITING_STEPS 5u
#define LOSS_REASON 1u

enum {
	NAME_COMMAND = 1,
	NAME_STEP,
	NAME_RANK,
	NAME_WORLD,
	NAME_NUMBER,
	NAME_COUNT,
	NAME_MATMUL,
	NAME_REDUCE,
	NAME_LAUNCH,
	NAME_LABEL,
	NAME_FETCH,
	NAME_SCRIPT,
	NAME_OPERATORS
};

struct job {
	unsigned int ranks, steps, operators;
	const char *stem;
};

static void put_name(struct frame_writer *fw, uint64_t id, const char *text)
{
	FRAME_PUT(fw, 0, string, .id = id, .text = { (uint64_t)(uintptr_t)text, strlen(text) });
}

static void put_start(struct frame_writer *fw, const struct job *job, unsigned int rank)
{
	char text[64];

	frame_begin_block(fw, 0);
	put_name(fw, NAME_COMMAND, "python train.py");
	put_name(fw, NAME_STEP, "step");
	put_name(fw, NAME_RANK, "rank");
	put_name(fw, NAME_WORLD, "world_size");
	snprintf(text, sizeof(text), "%u", rank);
	put_name(fw, NAME_NUMBER, text);
	snprintf(text, sizeof(text), "%u", job->ranks);
	put_name(fw, NAME_COUNT, text);
	put_name(fw, NAME_MATMUL, "matmul");
	put_name(fw, NAME_REDUCE, "ncclDevKernel_AllReduce");
	put_name(fw, NAME_LAUNCH, "cudaLaunchKernel");
	put_name(fw, NAME_LABEL, "gloo:all_reduce");
	put_name(fw, NAME_FETCH, "fetch");
	put_name(fw, NAME_SCRIPT, "/job/train.py");
	FRAME_PUT(fw, 0, python_code, .id = 1, .function = NAME_FETCH, .file = NAME_SCRIPT,
		  .line = 10);
	FRAME_PUT(fw, 0, python_place, .id = 1, .code = 1, .line = 12);
	for (unsigned int i = 0; i < OPERATOR_NAMES; i++) {
		snprintf(text, sizeof(text), "aten::operator_%u", i);
		put_name(fw, NAME_OPERATORS + i, text);
	}
	FRAME_PUT(fw, 0, process, .process = 1, .pid = 1000 + rank, .command = NAME_COMMAND);
	FRAME_PUT(fw, 0, meta, .process = 1, .key = NAME_RANK, .value = NAME_NUMBER);
	FRAME_PUT(fw, 0, meta, .process = 1, .key = NAME_WORLD, .value = NAME_COUNT);
	FRAME_PUT(fw, 0, thread, .stream = 1, .process = 1, .tid = 1000 + rank);
	FRAME_PUT(fw, 0, thread, .stream = 2, .process = 1, .tid = 1000 + rank, .level = 2);
	frame_end_block(fw);
}

static void put_kernel(struct frame_writer *fw, uint64_t begin_ns, uint64_t duration_ns,
		       uint64_t name)
{
	uint64_t correlation = begin_ns / 1000;

	FRAME_PUT(fw, begin_ns - 1000, cuda_launch, .function = NAME_LAUNCH, .kernel = name,
		  .correlation = correlation, .duration_ns = 500);
	FRAME_PUT(fw, begin_ns + duration_ns, gpu_kernel, .ago_ns = (int64_t)duration_ns,
		  .duration_ns = duration_ns, .correlation = correlation, .device = 0, .stream = 7,
		  .kernel = name, .grid_x = 1, .grid_y = 1, .grid_z = 1, .block_x = 128,
		  .block_y = 1, .block_z = 1);
}

static void put_step(struct frame_writer *fw, const struct job *job, unsigned int rank,
		     unsigned int step)
{
	uint64_t step_ns = rank == SLOW_RANK ? 2 * STEP_NS : STEP_NS;
	uint64_t begin = 10 + step * step_ns, at = begin;

	FRAME_PUT(fw, begin, step, .number = step, .name = NAME_STEP);
	for (unsigned int i = 0; i < job->operators; i++) {
		FRAME_PUT(fw, at += 2, torch_begin,
			  .name = NAME_OPERATORS + (i + step) % OPERATOR_NAMES);
		frame_put(fw, EVT_torch_end, at += job->operators < 4000 ? 1000 : 1, NULL);
	}
	put_kernel(fw, begin + 1000000, 3000000, NAME_MATMUL);
	put_kernel(fw, begin + 5000000 + (rank == SLOW_RANK) * 1000000u, 1000000, NAME_REDUCE);
	FRAME_PUT(fw, begin + 7000000, torch_async_begin, .name = NAME_LABEL, .function = 64);
	FRAME_PUT(fw, begin + 8000000, torch_async_end, .function = 64);
	if (rank != COLLECTING_RANK)
		return;
	FRAME_PUT(fw, begin + 9000000, gc_begin, .generation = 2);
	FRAME_PUT(fw, begin + 9500000, gc_end, .collected = 5);
}

static void put_sample(struct frame_writer *fw, unsigned int rank, unsigned int step)
{
	if (step <= WAITING_STEPS)
		FRAME_PUT(fw, 10 + step * (rank == SLOW_RANK ? 2 * STEP_NS : STEP_NS),
			  python_sample, .place = 1, .state = EVT_PYTHON_IO, .looks = step > 0);
}

static void put_memory(struct frame_writer *fw, unsigned int rank, unsigned int step)
{
	FRAME_PUT(fw, 10 + (uint64_t)step * STEP_NS, process_memory, .process = 1,
		  .resident_bytes = (1024ull + rank + step) * MIB);
}

static void write_file(const char *path, const struct recording *r)
{
	FILE *out = fopen(path, "wb");

	if (!out || fwrite(r->bytes, 1, r->length, out) != r->length || fclose(out)) {
		perror(path);
		exit(1);
	}
}

static void put_steps(struct recording *r, const struct job *job, unsigned int rank)
{
	unsigned int frames = job->steps < FRAMES ? job->steps : FRAMES;

	for (unsigned int i = 0; i < frames; i++) {
		unsigned int from = job->steps * i / frames, to = job->steps * (i + 1) / frames;

		frame_begin_block(r->fw, 0);
		for (unsigned int step = from; step < to; step++)
			put_memory(r->fw, rank, step);
		if (!i && rank == LOSING_RANK)
			FRAME_PUT(r->fw, 20, lost, .process = 1, .stream = 1, .count = 40,
				  .reason = LOSS_REASON);
		frame_end_block(r->fw);
		frame_begin_block(r->fw, 1);
		for (unsigned int step = from; step < to; step++)
			put_step(r->fw, job, rank, step);
		frame_end_block(r->fw);
		frame_begin_block(r->fw, 2);
		for (unsigned int step = from; step < to; step++)
			put_sample(r->fw, rank, step);
		frame_end_block(r->fw);
		recording_close_frame(r, (uint64_t)to * 2 * STEP_NS);
	}
}

static void write_rank(const struct job *job, unsigned int rank)
{
	struct file_header header = { .version = FILE_VERSION,
				      .base_mono = 1000000000,
				      .base_real = 1700000000000000000,
				      .pid = 1000 + rank,
				      .session = "scale" };
	struct recording r;
	char path[4096];

	snprintf(header.host, sizeof(header.host), "node%u", rank / 8);
	recording_start(&r, &header);
	put_start(r.fw, job, rank);
	put_steps(&r, job, rank);
	recording_finish(&r, (uint64_t)job->steps * 2 * STEP_NS);
	if (rank)
		snprintf(path, sizeof(path), "%s.%s.%u.1.evt", job->stem, header.host, 1000 + rank);
	else
		snprintf(path, sizeof(path), "%s.evt", job->stem);
	write_file(path, &r);
	recording_release(&r);
}

int main(int argc, char **argv)
{
	struct job job;

	if (argc != 5) {
		fprintf(stderr, "usage: scale_files RANKS STEM STEPS OPERATORS\n");
		return 2;
	}
	job = (struct job){ (unsigned int)atoi(argv[1]), (unsigned int)atoi(argv[3]),
			    (unsigned int)atoi(argv[4]), argv[2] };
	for (unsigned int rank = 0; rank < job.ranks; rank++)
		write_rank(&job, rank);
	return 0;
}
